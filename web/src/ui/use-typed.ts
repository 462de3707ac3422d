// A field of text whose value is kept elsewhere, such as in the address, which follows a moment later: what is typed is shown at once.
// Guards: no letter is lost while a large page is drawn; what is changed from elsewhere, such as by a button that clears, is shown.
import { useState } from 'react';
import { typed } from './field.ts';

export function useTyped(value: string, onChange: (value: string) => void) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  // What was handed on and has not come back.
  const [sent, setSent] = useState<readonly string[]>([]);
  if (value !== seen) {
    setSeen(value);
    if (value === text) setSent([]);
    else if (!sent.includes(value)) setText(value);
  }
  const set = (next: string) => {
    setText(next);
    setSent((before) => [...before, next]);
    onChange(next);
  };
  return { ...typed(text, set), set };
}
