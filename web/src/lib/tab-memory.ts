// What one tab remembers until it is closed, also over a reload. Nothing breaks where storage is forbidden.
type Name = 'chat-opened' | 'chat-conversation' | 'chat-runs' | 'plan' | 'plan-second';

const keyOf = (name: Name) => `matriarch-${name}`;

export function readTab(name: Name): string | null {
  try {
    return sessionStorage.getItem(keyOf(name));
  } catch {
    return null;
  }
}

/** Undefined forgets it. */
export function writeTab(name: Name, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(keyOf(name));
    else sessionStorage.setItem(keyOf(name), value);
  } catch {
    // Private windows may refuse; a reload then begins anew.
  }
}
