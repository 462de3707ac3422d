// The cursor goes back to what opened a form in the place of a row, once that form has closed.
import { type RefObject, useEffect, useRef } from 'react';

/** For what stands there while nothing is open. */
export function useReturnFocus(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const place = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) place.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return place;
}
