import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app';
import { start } from './backend/answers';
import { watchPrefs } from './state/prefs';
import { watchRoute } from './state/route';
import { maps, model, open, placeWanted } from './state/session';
import { wanted } from './state/route';
import { plain } from './lib/escape';
import './style/tokens.css';
import './style/base.css';
import './style/frame.css';
import './style/controls.css';
import './style/grid.css';
import './style/panes.css';

// The token leaves the address before anything else reads it.
start();
watchPrefs();
watchRoute();
effect(() => {
  if (wanted.value && maps.value.length > 0) placeWanted();
});
effect(() => {
  document.title = model.value ? `${plain(model.value.name)} – gguf view` : 'gguf view';
});
const root = document.getElementById('app');
if (root) render(<App />, root);
void open();
