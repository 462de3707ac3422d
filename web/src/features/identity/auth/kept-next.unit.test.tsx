import { describe, expect, it } from 'vitest';
import { keepNext, takeNext } from './kept-next.ts';

describe('where to go after a provider has answered', () => {
  it('is the page that was wanted, once', () => {
    keepNext('/servers/3?tab=settings');
    expect([takeNext(), takeNext()]).toEqual(['/servers/3?tab=settings', '/']);
  });

  it.each(['https://evil.example/', '//evil.example/', 'javascript:alert(1)'])('is never %s', (kept) => {
    keepNext(kept);
    expect(takeNext()).toBe('/');
  });
});
