import { Intro } from '../../ui/states';

export function LoadPane() {
  return <Intro pane="load" />;
}
