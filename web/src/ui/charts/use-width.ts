// How wide an element is, in whole pixels.
import { type RefObject, useLayoutEffect, useState } from 'react';

const FIRST = 600;

export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(FIRST);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const measure = () => setWidth(Math.floor(current.getBoundingClientRect().width) || FIRST);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
