// Rows of a probe as objects of one shape each. A row that is filled column by column goes through as many shapes as it has
// columns, and ends as a table of names: to make and to read such rows took a tenth of all that is done with a first
// reading. Guards: nothing but the names of declared columns becomes code, and only where they are plain.
import type { Probe } from '../probes/types.ts';
import type { Row } from '../store/layout/types.ts';

type Maker = (values: readonly unknown[]) => Row;

const PLAIN = /^[a-z][a-z0-9_]{0,62}$/;

const makers = new WeakMap<Probe, Maker>();

function makerOf({ columns }: Probe): Maker {
  const names = columns.map(({ name }) => name);
  if (!names.every((name) => PLAIN.test(name)))
    return (values) => Object.fromEntries(names.map((name, index) => [name, values[index]]));
  const fields = names.map((name, index) => `${name}: values[${index}]`);
  // The engine gives a shape of its own only to what is written down as such.
  const make = new Function('values', `return { ${fields.join(', ')} };`);
  return (values) => make(values);
}

/** Values in the order of the probe's columns, by name. */
export function rowOf(probe: Probe, values: readonly unknown[]): Row {
  let maker = makers.get(probe);
  if (!maker) {
    maker = makerOf(probe);
    makers.set(probe, maker);
  }
  return maker(values);
}
