import { Intro } from '../../ui/states';

export function TensorsPane() {
  return <Intro pane="tensors" />;
}
