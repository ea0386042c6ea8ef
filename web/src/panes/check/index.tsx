import { Intro } from '../../ui/states';

export function CheckPane() {
  return <Intro pane="check" />;
}
