// Where to go after a provider has answered: kept in this tab, taken once.
import { safeNext } from './safe-next.ts';

const KEY = 'matriarch.sign-in-next';

export function keepNext(next: string): void {
  try {
    sessionStorage.setItem(KEY, next);
  } catch {
    // Without storage the first page comes.
  }
}

export function takeNext(): string {
  try {
    const next = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return safeNext(next);
  } catch {
    return '/';
  }
}
