import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Width and height of an element, as it is laid out; also of one that is drawn later than the component. */
export function useSize<E extends HTMLElement>(): [RefObject<E | null>, { width: number; height: number }] {
  const [element, setElement] = useState<E | null>(null);
  const [size, set] = useState({ width: 0, height: 0 });
  const now = useRef<E | null>(null);
  const [ref] = useState<RefObject<E | null>>(() => ({
    get current() {
      return now.current;
    },
    set current(next) {
      now.current = next;
      if (next) setElement(next);
    },
  }));
  useLayoutEffect(() => {
    if (!element) return;
    const measure = () => {
      const style = getComputedStyle(element);
      const next = {
        width: element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
        height: element.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom),
      };
      set((old) => (old.width === next.width && old.height === next.height ? old : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [ref, size];
}

/** The value as it was some time ago: what is typed is not asked for letter by letter. */
export function useDelayed<T>(value: T, ms = 180): T {
  const [late, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return late;
}

/** A listener that may say `preventDefault` on wheel and touch, which Preact's own listeners may not. */
export function useActive<E extends HTMLElement>(ref: RefObject<E | null>, type: 'wheel' | 'touchmove' | 'touchstart', listener: (event: Event) => void): void {
  const now = useRef(listener);
  now.current = listener;
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const call = (event: Event) => now.current(event);
    element.addEventListener(type, call, { passive: false });
    return () => element.removeEventListener(type, call);
  }, [ref.current, type]);
}
