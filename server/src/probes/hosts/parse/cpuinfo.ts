// /proc/cpuinfo of x86, ARM, POWER and s390x. It has no common form: x86 names sockets and cores, ARM names only
// numbers of makers and designs, and a value that it does not tell is left out.
import { greatest } from '../../../kernel/lists.ts';
import { armModel } from './arm-parts.ts';

export interface Cpuinfo {
  model?: string;
  vendor?: string;
  family?: string;
  /** Processor packages. Absent where the text does not tell. */
  sockets?: number;
  /** Physical cores: distinct (socket, core) pairs. Absent where the text does not tell. */
  cores?: number;
  logical?: number;
  /** Hertz now, of the fastest processor. */
  clock_speed?: number;
}

type Section = ReadonlyMap<string, string>;

function sections(text: string): Section[] {
  const all: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at < 0) {
      current = undefined;
      continue;
    }
    if (!current) {
      current = new Map();
      all.push(current);
    }
    const key = line.slice(0, at).trim();
    // 32-bit ARM names the model and the processors in one block.
    if (key === 'processor' && current.has('processor')) {
      current = new Map();
      all.push(current);
    }
    current.set(key, line.slice(at + 1).trim());
  }
  return all;
}

function firstOf(all: readonly Section[], ...keys: string[]): string | undefined {
  for (const key of keys) {
    const found = all.map((section) => section.get(key)).find((value) => value);
    if (found) return found;
  }
  return undefined;
}

function coresOf(processors: readonly Section[]): number | undefined {
  const pairs = new Set<string>();
  for (const section of processors) {
    const [socket, core] = [section.get('physical id'), section.get('core id')];
    if (socket === undefined || core === undefined) return undefined;
    pairs.add(`${socket}/${core}`);
  }
  return pairs.size || undefined;
}

function clockOf(all: readonly Section[]): number | undefined {
  const megahertz = all.map((section) =>
    Number.parseFloat(section.get('cpu MHz') ?? section.get('cpu MHz static') ?? section.get('clock') ?? ''),
  );
  const fastest = greatest(
    megahertz.filter((value) => Number.isFinite(value)),
    0,
  );
  return fastest > 0 ? Math.round(fastest * 1_000_000) : undefined;
}

function modelOf(all: readonly Section[]): string | undefined {
  return (
    firstOf(all, 'model name', 'Model Name') ??
    armModel(firstOf(all, 'CPU implementer'), firstOf(all, 'CPU part')) ??
    firstOf(all, 'cpu', 'Processor', 'uarch', 'Hardware')
  );
}

export function parseCpuinfo(text: string): Cpuinfo {
  const all = sections(text);
  const processors = all.filter((section) => /^\d+$/.test(section.get('processor') ?? ''));
  // s390x: "# processors : 4", and one line "processor 0: version = …" for each.
  const logical = processors.length || Number(firstOf(all, '# processors') ?? 0);
  const [model, cores, clock_speed] = [modelOf(all), coresOf(processors), clockOf(all)];
  const vendor = firstOf(all, 'vendor_id');
  const family = firstOf(all, 'cpu family');
  const sockets = new Set(processors.flatMap((section) => section.get('physical id') ?? [])).size;
  return {
    ...(vendor === undefined ? {} : { vendor }),
    ...(family === undefined ? {} : { family }),
    ...(sockets > 0 ? { sockets } : {}),
    ...(model === undefined ? {} : { model }),
    ...(cores === undefined ? {} : { cores }),
    ...(logical > 0 ? { logical } : {}),
    ...(clock_speed === undefined ? {} : { clock_speed }),
  };
}

/** /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq (kHz) as hertz. */
export function parseMaxFrequency(text: string | undefined): number | undefined {
  const kilohertz = Number(text?.trim() || Number.NaN);
  return Number.isFinite(kilohertz) && kilohertz > 0 ? kilohertz * 1000 : undefined;
}

/** Physical cores from the siblings list of every processor (`0,32` or `0-1`): one distinct list for each core. */
export function coresFromSiblings(lists: readonly (string | undefined)[]): number | undefined {
  if (lists.length === 0 || lists.some((list) => !list?.trim())) return undefined;
  return new Set(lists.map((list) => list?.trim())).size;
}
