// A resource by its address, for assistants whose program knows tools only.
import { hasMcpPrivilege } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { boolean, object, optional, text } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { defineTool, type ToolCtx } from './types.ts';

const readable = (ctx: ToolCtx) =>
  ctx.deps.resources.filter(({ uri }) => hasMcpPrivilege(ctx.principal, uri));

const listed = (ctx: ToolCtx) =>
  answer(ctx, {
    about: 'Resources that you may read',
    source: 'this server',
    sections: [
      {
        columns: ['uri', 'description'],
        rows: readable(ctx).map(({ uri, description }) => [uri, description]),
        empty: 'You may read none: ask for the MCP privilege pg://system_info or pg://connection_info.',
      },
    ],
  });

export const tool = defineTool({
  name: 'read_resource',
  title: 'Read a resource',
  summary: 'Reads a resource such as pg://system_info, or lists them.',
  description:
    'Reads what has an address, as JSON: pg://connection_info says which connection is the current one, pg://system_info what its server is. With list true it says what you may read.',
  cost: 'At most four statements on our datastore.',
  privilege: { id: 18, description: 'Read a resource by its address' },
  most_statements: 3,
  examples: [
    { ask: 'Which version does the selected server run?', input: { uri: 'pg://system_info' } },
    { ask: 'What can be read?', input: { list: true } },
  ],
  input: object({
    uri: optional(text({ maxLength: 400, description: 'Such as pg://system_info.' })),
    list: optional(boolean({ default: false, description: 'Say what can be read.' })),
  }),
  async run(ctx, { uri, list = false }) {
    if (list) return listed(ctx);
    if (uri === undefined) throw new Fault('bad_request', 'Give uri, or list: true to see what there is.');
    const found = readable(ctx).find((one) => one.uri === uri);
    if (!found)
      throw new Fault('not_found', `There is no resource ${uri} that you may read. list: true names them.`);
    return JSON.stringify(await found.read(ctx), null, 2);
  },
});
