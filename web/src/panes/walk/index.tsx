import { Intro } from '../../ui/states';

export function WalkPane() {
  return <Intro pane="walk" />;
}
