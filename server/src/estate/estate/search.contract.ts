// Finding databases and statements on all visible servers by what somebody types.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const place = { connection_id: s.id(), server_name: s.text(), database_name: s.text() };

export const EstateFound = s.component('EstateFound', {
  databases: s.list(s.component('FoundDatabase', place)),
  statements: s.list(
    s.component('FoundStatement', {
      ...place,
      queryid: s.text(),
      query: s.text({ description: 'Normalised; its first 500 characters.' }),
    }),
  ),
});

const database = { connection_id: 2, server_name: 'orders-primary', database_name: 'shop' };

export const searchEstate = operation({
  id: 'searchEstate',
  route: 'GET /api/v1/estate/search',
  tag: 'connections',
  summary: 'Find databases and statements of all visible servers',
  access: { visible: 'connections' },
  extra: true,
  query: s.object({
    text: s.text({ minLength: 1, maxLength: 200 }),
    near: s.optional(s.id({ description: 'A connection whose databases and statements come first.' })),
    limit: s.optional(s.integer({ minimum: 1, maximum: 50, default: 8, description: 'Of each kind.' })),
  }),
  paramsExample: { text: 'shop' },
  success: ok(EstateFound, {
    databases: [database],
    statements: [{ ...database, queryid: '-4711', query: 'select * from shop.orders where id = $1' }],
  }),
  notes: [
    'A database is found when each word of the text is in its name or that of its server, and one in its own name: the same name first, then names that begin so.',
    'A statement is found when its first 4096 characters have, for each word of the text, a word that begins with it, whatever the case. Signs such as _ and . part words. Fewer than three letters find no statements, and those of the monitor itself are left out.',
    'Of very frequent words 1,000 statements are looked at.',
  ],
});
