// Random changes of tokens, and deletions of what rights are given on or to.
import type { ModelScope } from './access-model.ts';
import { type Change, DELEGATED, levelName, type Make, type Play, pick, type Signed } from './access-play.ts';

function scopeFrom(play: Play): { sent: object; scope: ModelScope } {
  const entries = [0, ...play.connections]
    .filter(() => play.draw(3) === 0)
    .map((connection_id) => ({ connection_id, level: levelName(play) }));
  const admin = ['*', ...DELEGATED].filter(() => play.draw(3) === 0);
  const scope = { ...(play.draw(3) > 0 && { connections: entries }), ...(play.draw(2) === 0 && { admin }) };
  const whole: ModelScope = scope.connections || scope.admin ? scope : { connections: entries };
  return {
    scope: whole,
    sent: {
      ...(whole.connections && {
        connections: whole.connections.map(({ connection_id, level }) => ({
          connection_id,
          access_level: level,
        })),
      }),
      ...(whole.admin && { admin_permissions: whole.admin }),
    },
  };
}

export const createToken: Make = (play) => {
  const owner = pick(play, play.callers);
  return {
    line: 'POST /api/v1/rbac/tokens',
    body: { owner_username: owner.username, annotation: 'played' },
    apply(_world, body) {
      const { token, id } = Object(body);
      const { username, user_id } = owner;
      play.callers.push({
        name: `token ${id} of ${owner.name}`,
        username,
        user_id,
        via: 'token',
        token,
        token_id: id,
      });
    },
  };
};

const withToken =
  (make: (play: Play, token: Signed & { token_id: number }) => Change): Make =>
  (play) => {
    const tokens = play.callers.flatMap((one) =>
      one.token_id === undefined ? [] : [{ one, id: one.token_id }],
    );
    if (tokens.length === 0) return undefined;
    const { one, id } = pick(play, tokens);
    return make(play, Object.assign(one, { token_id: id }));
  };

export const setScope = withToken((play, token) => {
  const { sent, scope } = scopeFrom(play);
  return {
    line: `PUT /api/v1/rbac/tokens/${token.token_id}/scope`,
    body: sent,
    apply: () => {
      token.scope = scope;
    },
  };
});

export const clearScope = withToken((_play, token) => ({
  line: `DELETE /api/v1/rbac/tokens/${token.token_id}/scope`,
  apply: () => {
    token.scope = undefined;
  },
}));

export const deleteToken = withToken((play, token) => ({
  line: `DELETE /api/v1/rbac/tokens/${token.token_id}`,
  apply: () => {
    play.callers.splice(play.callers.indexOf(token), 1);
  },
}));

export const share: Make = (play) => {
  const [id, is_shared] = [pick(play, play.connections), play.draw(2) === 0];
  return {
    line: `PUT /api/v1/connections/${id}`,
    shares: true,
    body: { is_shared },
    apply({ connections }) {
      const connection = connections.get(id);
      if (connection) connection.is_shared = is_shared;
    },
  };
};

export const deleteConnection: Make = (play) => {
  if (play.connections.length < 2) return undefined;
  const id = pick(play, play.connections);
  return {
    line: `DELETE /api/v1/connections/${id}`,
    apply({ connections, groups }) {
      const connection = connections.get(id);
      if (connection) connection.deleted = true;
      for (const group of groups.values()) group.connections.delete(id);
      for (const { scope } of play.callers)
        if (scope?.connections)
          scope.connections = scope.connections.filter((entry) => entry.connection_id !== id);
    },
  };
};

export const deleteGroup: Make = (play) => {
  if (play.groups.length < 3) return undefined;
  const id = pick(play, play.groups);
  return {
    line: `DELETE /api/v1/rbac/groups/${id}`,
    apply({ groups }) {
      groups.delete(id);
      for (const group of groups.values()) group.groups.delete(id);
      play.groups.splice(play.groups.indexOf(id), 1);
    },
  };
};

export const deleteUser: Make = (play, actor) => {
  const { user_id } = pick(play, play.callers);
  return {
    line: `DELETE /api/v1/rbac/users/${user_id}`,
    apply({ users, groups, connections }) {
      users.delete(user_id);
      for (const group of groups.values()) group.users.delete(user_id);
      for (const connection of connections.values())
        if (connection.owner_id === user_id) connection.owner_id = actor.user_id;
      play.callers = play.callers.filter((one) => one.user_id !== user_id);
    },
  };
};
