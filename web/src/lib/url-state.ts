// State that belongs to the address: what is sorted, searched, opened. A default leaves no trace in the address, and
// changing it replaces the history entry, so that "back" leaves the page instead of undoing letters.
import { useSearchParams } from 'react-router';

/** One text value of the address, with a default. */
export function useUrlText(name: string, fallback = ''): [string, (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === fallback) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return [search.get(name) ?? fallback, set];
}

/** Several texts of the address that are changed together; an empty one leaves no trace. */
export function useUrlTexts<const N extends string>(
  names: readonly N[],
): [(name: N) => string, (changed: Partial<Record<N, string>>) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (changed: Partial<Record<N, string>>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const name of names) {
          const value = changed[name];
          if (value === '') next.delete(name);
          else if (value !== undefined) next.set(name, value);
        }
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return [(name) => search.get(name) ?? '', set];
}

/** One of a few words; anything else in the address counts as the default. */
export function useUrlChoice<const T extends string>(
  name: string,
  choices: readonly T[],
  fallback: NoInfer<T>,
): [T, (value: T) => void] {
  const [value, set] = useUrlText(name, fallback);
  return [choices.find((choice) => choice === value) ?? fallback, set];
}
