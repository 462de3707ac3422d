// os-release(5): shell assignments, quoted in several ways.
import type { HostFacts } from '../types.ts';

function unquote(value: string): string {
  const found = /^(["'])(.*)\1$/.exec(value);
  if (!found) return value;
  const [, quote, inner = ''] = found;
  return quote === '"' ? inner.replace(/\\(["$`\\])/g, '$1') : inner;
}

export function parseOsRelease(text: string): Pick<HostFacts, 'os_name' | 'os_version'> {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const found = /^\s*([A-Z][A-Z0-9_]*)=(.*?)\s*$/.exec(line);
    if (found?.[1]) values.set(found[1], unquote(found[2] ?? ''));
  }
  const first = (...names: string[]) => names.map((name) => values.get(name)).find((value) => value);
  const name = first('NAME', 'PRETTY_NAME', 'ID');
  const version = first('VERSION', 'VERSION_ID', 'BUILD_ID');
  return {
    ...(name === undefined ? {} : { os_name: name }),
    ...(version === undefined ? {} : { os_version: version }),
  };
}

/** `Debian GNU/Linux 12 (bookworm)` as name and version; a name without a number has none. */
export function splitPrettyName(pretty: string): Pick<HostFacts, 'os_name' | 'os_version'> {
  const clean = unquote(pretty.trim()).trim();
  if (clean === '') return {};
  const found = /^(.*?\S)\s+(v?\d.*)$/.exec(clean);
  return found?.[1] && found[2] ? { os_name: found[1], os_version: found[2] } : { os_name: clean };
}
