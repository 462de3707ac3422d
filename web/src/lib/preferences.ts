// What this browser remembers of a reader: taste, and whether there was a session when the page was left (`signed-in`, for
// public/first-paint.js). Nothing breaks where storage is forbidden.
type Preference = 'density' | 'nav' | 'nav-groups' | 'signed-in' | 'tree';

export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(`matriarch-${name}`);
  } catch {
    return null;
  }
}

export function writePreference(name: Preference, value: string): void {
  try {
    localStorage.setItem(`matriarch-${name}`, value);
  } catch {
    // Private windows may refuse; the choice then lasts until the page is left.
  }
}

export type Density = 'comfortable' | 'compact';

export function currentDensity(): Density {
  return document.documentElement.getAttribute('data-density') === 'compact' ? 'compact' : 'comfortable';
}

export function setDensity(density: Density): void {
  document.documentElement.setAttribute('data-density', density);
  writePreference('density', density);
}
