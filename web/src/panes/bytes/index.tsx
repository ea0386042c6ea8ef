import { useState } from 'preact/hooks';
import { t } from '../../i18n';
import { count, hex, parsePosition } from '../../lib/format';
import { hovered, select, selected } from '../../state/selection';
import { file, files, selectedRegion } from '../../state/session';
import { Empty, Intro, Select } from '../../ui/states';
import { HexView } from './hex';

/** The file as it lies on the disk, with every field named. */
export function BytesPane() {
  const head = file.value;
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  if (!head) return null;
  const jump = (at: number) => select({ file: head.file, start: at, end: at + 1 });
  const region = selectedRegion.value;
  return (
    <>
      <Intro pane="bytes" />
      <div class="bar">
        <form
          class="goto"
          onSubmit={(event) => {
            event.preventDefault();
            const at = parsePosition(typed);
            const ok = at !== null && at < head.size;
            setWrong(!ok);
            if (ok) jump(at);
          }}
        >
          <input class="search mono" value={typed} placeholder="0x1f4" aria-label={t('bytes.go-label')} aria-invalid={wrong} aria-describedby={wrong ? 'goto-wrong' : undefined} onInput={(event) => setTyped(event.currentTarget.value)} />
          <button type="submit" class="button">{t('bytes.go-button')}</button>
        </form>
        <div class="choice" role="group" aria-label={t('bytes.jump')}>
          <button type="button" onClick={() => jump(0)}>{t('bytes.first')}</button>
          {head.data_start !== null && head.data_start < head.size && <button type="button" onClick={() => jump(head.data_start ?? 0)}>{t('bytes.data-start')}</button>}
          <button type="button" disabled={head.size === 0} onClick={() => jump(head.size - 1)}>{t('bytes.last')}</button>
        </div>
        {files.value.length > 1 && (
          <Select label={t('app.file')} hidden value={String(head.file)} options={files.value.map((f) => [String(f.file), f.name] as const)} onChange={(f) => select({ file: Number(f), start: 0, end: 1 })} />
        )}
        {wrong && <p class="wrong" id="goto-wrong" role="alert">{t('bytes.bad', { size: count(head.size), last: hex(Math.max(0, head.size - 1)) })}</p>}
      </div>
      {head.size === 0 ? <Empty>{t('state.empty-file')}</Empty> : <HexView head={head} region={region} spot={selected.value?.file === head.file ? selected.value : null} under={hovered.value?.file === head.file ? hovered.value : null} />}
    </>
  );
}
