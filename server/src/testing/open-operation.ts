// An operation of a test's own, that says something.
import { operation } from '../kernel/contract.ts';
import { object, text } from '../kernel/schema.ts';

export const openOperation = (id: string, access: 'public' | 'signed-in' = 'public') =>
  operation({
    id,
    route: `GET /api/v1/${id}`,
    tag: 'utilities',
    summary: id,
    access,
    success: { status: 200, schema: object({ said: text() }) },
  });
