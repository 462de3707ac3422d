// Relations for statements of others: only declared columns, in their declared types, and nothing that needs parameters.
import { describe, expect, it } from 'vitest';
import { probes } from '../../../probes/catalog.gen.ts';
import { factInForce, factsInForce, newestRows, newestRun } from './relations.ts';

describe('relations', () => {
  it('name columns that the probe declares, and refuse others', () => {
    const { text } = newestRows('pg_database', ['datname', 'database_size_bytes']);
    expect(text).toContain('as v ("datname" text, "database_size_bytes" bigint)');
    expect(() => newestRows('pg_database', ['datname', 'nope'])).toThrow(
      /pg_database declares no column nope/,
    );
  });

  it('have no parameters, so that partial indexes serve a prepared statement, and know their connection', () => {
    for (const { name, columns } of probes) {
      const [first] = columns;
      const all = [
        newestRun(name),
        newestRows(name, [first?.name ?? '']),
        factsInForce(name),
        factInForce(name),
      ];
      for (const { text, values } of all) {
        expect(values).toEqual([]);
        expect(text).toContain('x.connection_id');
        expect(text).toContain(`x.probe = '${name}'`);
      }
    }
  });
});
