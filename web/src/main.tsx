import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app';
import { start } from './backend/answers';
import { watchPrefs } from './state/prefs';
import { watchRoute } from './state/route';
import { chooseModel, maps, model, open, placeWanted, session } from './state/session';
import { selected } from './state/selection';
import { wanted } from './state/route';
import { plain } from './lib/escape';
import './style/tokens.css';
import './style/base.css';
import './style/frame.css';
import './style/controls.css';
import './style/grid.css';
import './style/panes/map.css';
import './style/panes/bytes.css';
import './style/panes/tag.css';
import './style/panes/walk.css';
import './style/panes/load.css';
import './style/panes/tensors.css';
import './style/panes/check.css';
import './style/panes/compare.css';

// The token leaves the address before anything else reads it.
start();
watchPrefs();
watchRoute();
effect(() => {
  if (wanted.value && maps.value.length > 0) placeWanted();
});
// What is selected in another model (a link, a comparison) brings that model up.
effect(() => {
  const at = selected.value;
  const holder = at && session.value?.models.find((m) => m.files.includes(at.file));
  if (holder && model.peek() && holder.model !== model.peek()?.model) void chooseModel(holder.model);
});
effect(() => {
  document.title = model.value ? `${plain(model.value.name)} – gguf view` : 'gguf view';
});
const root = document.getElementById('app');
if (root) render(<App />, root);
void open();
