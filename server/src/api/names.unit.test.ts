import { expect, it } from 'vitest';
import { membersOf, nodeOf } from '../kernel/schema-node.ts';
import { compileBody } from '../kernel/validate.ts';
import { operations } from './operations.gen.ts';

/** What stands in a request under these members is a name that people read. The name of a token is its annotation, that of a tool no such name. */
const NAMES: Record<string, readonly string[]> = { createToken: ['annotation'], callMcpTool: [] };
const named = operations.flatMap(({ id, body, bodyExample }) =>
  body
    ? membersOf(nodeOf(body))
        .map(({ name }) => name)
        .filter((name) => (NAMES[id] ?? ['name', 'display_name']).includes(name))
        .map((member) => ({ id, member, body, example: bodyExample }))
    : [],
);

it('names are given to users, passkeys, groups, tokens, connections, clusters and their groups, channels, schedules', () => {
  expect(named.map(({ id, member }) => `${id}.${member}`).sort()).toMatchInlineSnapshot(`
    [
      "addChannelRecipient.display_name",
      "addPasskey.name",
      "createBlackoutSchedule.name",
      "createCluster.name",
      "createClusterGroup.name",
      "createConnection.name",
      "createGroup.name",
      "createGroupCluster.name",
      "createNotificationChannel.name",
      "createReportSchedule.name",
      "createToken.annotation",
      "createUser.display_name",
      "renameLogSearch.name",
      "saveLogSearch.name",
      "updateBlackoutSchedule.name",
      "updateChannelRecipient.display_name",
      "updateCluster.name",
      "updateClusterGroup.name",
      "updateConnection.name",
      "updateGroup.name",
      "updateNotificationChannel.name",
      "updateReportSchedule.name",
      "updateUser.display_name",
    ]
  `);
});

it.each(named)(
  '$member of $id refuses what cannot be seen, and takes every script',
  ({ member, body, example }) => {
    const check = compileBody(body);
    const base = typeof example === 'object' ? example : {};
    for (const hidden of ['\n', '\u001b[31m', '\u202e', '\u200b'])
      expect(() => check({ ...base, [member]: `a${hidden}b` }), JSON.stringify(hidden)).toThrow(
        `${member} must not contain invisible, control or direction characters.`,
      );
    expect(check({ ...base, [member]: '  orders ' })).toMatchObject({ [member]: 'orders' });
    for (const name of ['Zoé’s «db» 1', '数据库', 'پایگاه‌داده', '👩‍💻 dev', 'a\\u202eb'])
      expect(check({ ...base, [member]: name })).toMatchObject({ [member]: name });
  },
);
