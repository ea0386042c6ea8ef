import { useLayoutEffect } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Sizes a canvas to its box in device pixels and draws; again whenever one of `after` changes. */
export function useDrawing(
  ref: RefObject<HTMLCanvasElement | null>,
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
  after: readonly unknown[],
): void {
  useLayoutEffect(() => {
    const canvas = ref.current;
    if (!canvas || width <= 0 || height <= 0) return;
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 3);
    const w = Math.round(width * ratio);
    const h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context);
  }, [width, height, ...after]);
}

/** Slanted lines over a box: padding and gaps, which hold nothing. */
export function hatch(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let i = x - h; i < x + w; i += 5) {
    context.moveTo(i, y + h);
    context.lineTo(i + h, y);
  }
  context.stroke();
  context.restore();
}
