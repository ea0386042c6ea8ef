import { Intro } from '../../ui/states';

export function ComparePane() {
  return <Intro pane="compare" />;
}
