// Names as people typed them. They are shown in lists and sentences: no space around them, nothing invisible in them.
import { Fault } from './errors.ts';

export function cleanName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new Fault('bad_request', 'name must not be empty.');
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(trimmed))
    throw new Fault('bad_request', 'name must not hold control characters.');
  return trimmed;
}
