// Another order or choice of a long list begins at its top.
import { type RefObject, useEffect, useRef } from 'react';

export function useBackToTop(rows: RefObject<HTMLElement | null>, question: string): void {
  const shown = useRef(question);
  useEffect(() => {
    if (shown.current === question) return;
    shown.current = question;
    if ((rows.current?.getBoundingClientRect().top ?? 0) < 0) rows.current?.scrollIntoView();
  }, [rows, question]);
}
