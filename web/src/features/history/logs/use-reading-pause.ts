// Whether one reads in a list that grows at its top: it is scrolled away from, or text in it is selected.
import { type RefObject, useEffect, useState } from 'react';

const isAbove = (list: HTMLElement) => list.getBoundingClientRect().top < 0;

function isSelected(list: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode);
}

export function useReadingPause(ref: RefObject<HTMLElement | null>, isOn: boolean): boolean {
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const look = () => setPaused(ref.current !== null && (isAbove(ref.current) || isSelected(ref.current)));
    look();
    // What scrolls may be a part of the page.
    document.addEventListener('scroll', look, { capture: true, passive: true });
    document.addEventListener('selectionchange', look);
    return () => {
      document.removeEventListener('scroll', look, { capture: true });
      document.removeEventListener('selectionchange', look);
    };
  }, [ref, isOn]);
  return isOn && isPaused;
}
