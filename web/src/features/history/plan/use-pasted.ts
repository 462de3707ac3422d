// The texts that were pasted, kept by the tab alone so that a reload shows them again. Guards: nothing is sent to the server.
import { useState } from 'react';
import { readTab, writeTab } from '../../../lib/tab-memory.ts';

/** What browsers keep for a tab is about 5 MB; larger texts are read but not kept. */
const MOST_KEPT = 1_000_000;

export function usePasted(name: 'plan' | 'plan-second'): [string, (text: string) => void] {
  const [text, setText] = useState(() => readTab(name) ?? '');
  const set = (next: string) => {
    setText(next);
    writeTab(name, next === '' || next.length > MOST_KEPT ? undefined : next);
  };
  return [text, set];
}
