// Which settings differ between two readings of them. Guards: a secret is compared, and never part of the answer.
import type { Config } from './config-types.ts';
import { Secret } from './secret.ts';

/** Secrets by where they are in the settings, those that were read from a file of their own too. */
function secretsIn(tree: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(tree)) {
    if (name === 'resolved') continue;
    // The keys of a provider are those of its setting: llm.<provider>.api_key.
    const key = name === 'providers' ? prefix : [prefix, name].filter(Boolean).join('.');
    if (value instanceof Secret) found.set(key, value.reveal());
    else if (typeof value === 'object' && value !== null)
      for (const [inner, secret] of secretsIn(value, key)) found.set(inner, secret);
  }
  return found;
}

const plain = ({ resolved }: Pick<Config, 'resolved'>) =>
  new Map(resolved.map(({ setting, value }) => [setting.key, JSON.stringify(value)]));

/** The keys of settings whose values differ, in order. */
export function changedSettings(before: Config, after: Config): string[] {
  const changed = new Set<string>();
  for (const read of [plain, secretsIn]) {
    const [old, now] = [read(before), read(after)];
    for (const key of [...old.keys(), ...now.keys()]) if (old.get(key) !== now.get(key)) changed.add(key);
  }
  return [...changed].sort();
}
