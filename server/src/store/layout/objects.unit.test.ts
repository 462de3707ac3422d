import { expect, it } from 'vitest';
import { nameObjects } from './objects.queries.ts';

it('takes no name for two: one with a line break is refused', () => {
  const family = { connection_id: 1, kind: 'p', database_name: '' };
  const named = { family: 0, object_key: '["a"]', key: '{"k":"a"}', labels: '{}', seen: 0 };
  const statement = nameObjects([family], [named, { ...named, object_key: JSON.stringify(['a\nb']) }]);
  expect(statement.values).toContain('["a"]\n["a\\nb"]');
  expect(() => nameObjects([family], [{ ...named, object_key: 'a\nb' }]).values).toThrow('line break');
});
