// How large a message to mail readers may be.
import { expect } from 'vitest';

/** Mail readers cut what is longer. */
export function fits(sent: string): void {
  expect(Buffer.byteLength(sent)).toBeLessThan(102_000);
}
