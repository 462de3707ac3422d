// Ways to break each guard of access, one at a time, with the tests that must notice. Data for npm run mutants; a unit
// test makes sure that every text is still found exactly once. Who writes a guard adds a line here.
import { existsSync } from 'node:fs';
import { at } from './paths.mjs';

const src = (file) => `server/src/${file}`;

const KINDS = ['test', 'kit.test', 'proof.test'];
/** The test files of a name, whichever run they are for; where there is none, one that the unit test will miss. */
function suite(name, only) {
  const files = KINDS.map((kind) => src(`${name}.${kind}.ts`));
  const found = files.filter((file) => existsSync(at(file)));
  return (found.length > 0 ? found : [src(`${name}.test.ts`)]).map((file) => ({ file, only }));
}

const units = suite('identity/access/access.unit');
const access = suite('identity/access/access');
const groups = suite('identity/rbac/rbac-groups');
const users = suite('identity/rbac/rbac-users');
const tokens = suite('identity/rbac/rbac-tokens');
const grants = suite('identity/rbac/rbac-grants');
const superusers = suite('identity/rbac/rbac-superusers');
const rbac = [groups, users, tokens, grants, superusers];
const sequences = suite('api/access-sequences');
/** The rows of these operations in the matrix. */
const matrix = (...ids) => suite('api/matrix', `S12 (${ids.join('|')}) `);

const one = (what, edit, ...tests) => ({ what, edits: [edit], tests: tests.flat(2) });
const inFile = (file) => (search, replace) => ({ file: src(file), search, replace });

const gate = inFile('api/gate.ts');
const server = inFile('api/server.ts');
const site = inFile('api/cross-site.ts');
const service = inFile('identity/access/access.service.ts');
const queries = inFile('identity/access/access.queries.ts');
const levels = inFile('identity/access/levels.queries.ts');
const rights = inFile('identity/access/rights.service.ts');
const compared = inFile('identity/access/rights.queries.ts');
const visible = inFile('identity/access/scopes.queries.ts');
const scoped = inFile('estate/scopes/scopes.service.ts');
const shelves = inFile('estate/clusters/cluster-groups.service.ts');
const granting = inFile('identity/rbac/rbac-grants.service.ts');
const grouping = inFile('identity/rbac/rbac-groups.service.ts');
const tokening = inFile('identity/rbac/rbac-tokens.service.ts');
const using = inFile('identity/rbac/rbac-users.service.ts');
const accounts = inFile('identity/auth/accounts.service.ts');
const connections = inFile('estate/connections/connections.service.ts');
const passwords = inFile('estate/connections/stored-password.ts');

const channelSecrets = inFile('alerting/notification-channels/channel-secrets.ts');
const paging = inFile('alerting/pagerduty/pagerduty.service.ts');
const signing = inFile('alerting/notification-channels/signing.service.ts');
const pagerTests = suite('alerting/pagerduty/pagerduty');
const deliveries = inFile('alerting/notification-channels/deliveries.queries.ts');
const channelTests = suite('alerting/notification-channels/notification-channels', 'a stored secret stays');

const wholes = suite('api/estate');
const whole = inFile('estate/scopes/scopes.queries.ts');
const ofTheWhole = [
  one(
    'a token that is limited to some connections acts on the estate',
    queries('  if (isLimitedToSome(principal)) return false;\n', ''),
    wholes,
  ),
  one(
    'who sees some servers acts on the estate',
    queries(
      'coalesce(bool_and(${visible(principal)}), false) as seen',
      'coalesce(bool_or(true), false) as seen',
    ),
    wholes,
  ),
  one(
    'who sees some servers of a group acts on all of them',
    whole('coalesce(bool_and(${visible(principal)}), not', 'coalesce(bool_or(${visible(principal)}), not'),
    wholes,
  ),
];

const atTheGate = [
  one(
    'nobody is asked to sign in',
    gate("operation.access !== 'public' && !isSigned(operation) && !call.caller", 'false'),
    matrix('getConnection'),
  ),
  one(
    'a cookie writes from anywhere',
    gate('isWrite(operation) && (operation.signsIn || request.headers.authorization === undefined)', 'false'),
    matrix('createGroup'),
  ),
  one(
    'who has to set up a second factor does anything',
    gate('!caller?.principal.needs_second_factor || operation.beforeSecondFactor', 'true'),
    suite('identity/auth/second-factor-gate'),
  ),
  one(
    'a group asks nobody for a second factor',
    service('!(isAsked || group_requires_second_factor)', '!isAsked'),
    suite('identity/rbac/group-second-factor'),
  ),
  one(
    'the second factor of a group is ended by who has less',
    inFile('identity/rbac/rbac-groups.service.ts')(
      'before.requires_second_factor && requires_second_factor === false',
      'false',
    ),
    suite('identity/rbac/group-second-factor'),
  ),
  one(
    'a passkey signs in whose device has not verified its user',
    inFile('identity/auth/passkey-check.service.ts')(
      'requireUserVerification: true',
      'requireUserVerification: false',
    ),
    suite('identity/auth/passkeys'),
  ),
  one(
    'a challenge of a passkey is answered twice',
    inFile('identity/auth/used-once.service.ts')(') === 1;', ') >= 0;'),
    suite('identity/auth/passkeys'),
  ),
  one(
    'a passkey is the second factor of another user',
    inFile('identity/auth/second-factor-check.service.ts')(
      'usePasskey(ctx, rest.user.id, ',
      'usePasskey(ctx, passkey.user_id, ',
    ),
    suite('identity/auth/passkeys'),
  ),
  one(
    'the header of a proxy counts from any address',
    inFile('identity/oidc/proxy.service.ts')('if (!proxy.trusts(arrived.peer)) {', 'if (false) {'),
    suite('identity/oidc/proxy'),
  ),
  one(
    'the header of a proxy counts from the address that X-Forwarded-For names',
    inFile('api/call.ts')("request.socket.remoteAddress ?? ''", 'request.ip'),
    suite('identity/oidc/proxy'),
  ),
  one(
    'the first of two user names in the header of a proxy counts',
    inFile('identity/oidc/proxy-header.ts')("others.length > 0 || user.includes(',')", 'false'),
    suite('identity/oidc/proxy'),
  ),
  one(
    'a session of a proxy is used by the next person at that browser',
    gate('named !== undefined && named !== proxy_subject', 'false'),
    suite('identity/oidc/proxy'),
  ),
  one(
    'another site signs in where a proxy passes Authorization on',
    gate('operation.signsIn || ', ''),
    suite('identity/oidc/proxy'),
  ),
  one(
    'a token of a provider opens every operation',
    inFile('api/provider-token.ts')(
      '!operation.takesProviderTokens) return providerTokens',
      'false) return providerTokens',
    ),
    suite('assistant/mcp/provider-tokens'),
  ),
  one(
    'a token of a provider for another resource counts',
    inFile('identity/oidc/access-token.ts')('issuer, audience, algorithms', 'issuer, algorithms'),
    suite('assistant/mcp/provider-tokens'),
  ),
  one(
    'an ID token passes for an access token',
    inFile('identity/oidc/access-token.ts')('if (kind !== undefined) return refused(kind);', ''),
    suite('assistant/mcp/provider-tokens'),
  ),
  one(
    'tokens pass for sessions',
    gate("sessionOnly && principal.via.kind !== 'session'", 'false'),
    matrix('changeOwnPassword'),
  ),
  one(
    'everybody is a superuser',
    gate("'superuser' in access && !principal.is_superuser", 'false'),
    matrix('getGroupPermissions'),
  ),
  one('one of several permissions is none', gate('if (!open)', 'if (false)'), matrix('listGroups')),
  one(
    'everybody is oneself',
    gate('namedInUrl(way.self, request) === principal.user_id', 'true'),
    matrix('getUserPrivileges'),
  ),
  one(
    'nobody is oneself',
    gate('namedInUrl(way.self, request) === principal.user_id', 'false'),
    matrix('getUserPrivileges'),
  ),
  one(
    'permissions are not asked for',
    gate('access.permission && !hasPermission(principal, access.permission)', 'false'),
    matrix('listUsers'),
  ),
  one(
    'access to what the path names is not asked for',
    gate('return demand(principal, call.caller.access, wanted);', 'return;'),
    matrix('getConnection'),
  ),
  one(
    'access to what the body names is not asked for',
    gate('await demandConnection(ctx, { connection_id: id, ...wanted });', ''),
    matrix('setCurrentConnection'),
  ),
  one(
    'access to what the query names is not asked for',
    gate('return demandConnections(', 'return (async (..._names: unknown[]) => {})('),
    matrix('listProbeConfigs'),
  ),
  one(
    'any site is ours',
    site("if (site === 'same-origin' || site === 'none') return;", 'if (site !== undefined) return;'),
    matrix('createGroup'),
  ),
  one(
    'old browsers write from anywhere',
    site('(origin === undefined || isOwnOrigin(origin, host))', 'true'),
    matrix('createGroup'),
  ),
  one(
    'refusals leave no trace',
    server('noteRefusal(refusals, request, fault);', ''),
    matrix('getConnection'),
  ),
];

const atTheLevel = [
  one(
    'a scope gives permissions',
    service('return ADMIN_PERMISSIONS.filter((name) => allowed.includes(name));', 'return [...held];'),
    units,
  ),
  one(
    'a scope takes no permission',
    service('return held.filter((name) => allowed.includes(name));', 'return [...held];'),
    units,
  ),
  one(
    'a scope takes no tool',
    service('return own.filter((identifier) => allowed.includes(identifier));', 'return own;'),
    units,
    access,
    rbac,
  ),
  one(
    'reading needs no access',
    service("if (need === 'read') return access.level >= 1;", "if (need === 'read') return true;"),
    matrix('getConnection'),
  ),
  one(
    'reading suffices to write',
    service(
      "if (need === 'read_write') return access.level >= 2;",
      "if (need === 'read_write') return access.level >= 1;",
    ),
    matrix('retestConnectionCoverage'),
  ),
  one(
    'owners manage whatever their scope',
    service('(access.owned && access.level >= 2)', 'access.owned'),
    units,
  ),
  one(
    'managers manage what they cannot see',
    service(
      "(access.level >= 1 && hasPermission(principal, 'manage_connections'))",
      "hasPermission(principal, 'manage_connections')",
    ),
    units,
  ),
  one(
    'unknown ids show',
    service('if (!access.found && !wanted.unknown)', 'if (!access.found)'),
    matrix('getServerInfo'),
  ),
  one(
    'a token without admin acts as superuser',
    service("is_superuser: row.is_superuser && permissions.includes('*')", 'is_superuser: row.is_superuser'),
    access,
  ),
  one(
    'sessions last for ever',
    queries('and s.expires_at > ${now}::timestamptz', ''),
    matrix('getCapabilities'),
  ),
  one(
    'tokens last for ever',
    queries('and (t.expires_at is null or t.expires_at > ${now}::timestamptz)', ''),
    matrix('getCapabilities'),
  ),
  one(
    'the disabled come in',
    queries(
      'join matriarch.users u on u.id = credential.user_id and u.enabled',
      'join matriarch.users u on u.id = credential.user_id',
    ),
    matrix('getCapabilities'),
  ),
  one(
    'the deleted is found',
    queries(
      'left join matriarch.connections c on c.id = ${connection_id}::int and c.deleted_at is null',
      'left join matriarch.connections c on c.id = ${connection_id}::int',
    ),
    access,
  ),
  one(
    'groups of groups are forgotten',
    levels(
      'join above on above.id = gg.member_id\n    )\n    select above.id from above\n  )`;\n\n/** integer[]',
      'join above on above.id = gg.member_id and false\n    )\n    select above.id from above\n  )`;\n\n/** integer[]',
    ),
    matrix('getConnection'),
  ),
  one(
    'a scope names every connection',
    levels("where entry ->> 'connection_id' in (${connections})", 'where true'),
    matrix('getConnection'),
  ),
  one('a scope that is none opens everything', levels("<> 'array' then 0", "<> 'array' then 2"), access),
  one(
    'the deleted is listed',
    levels('when c.deleted_at is not null then 0', 'when false then 0'),
    matrix('listConnections'),
    access,
  ),
  one('everything is shared', levels('case when c.is_shared then', 'case when true then'), access),
  one(
    'everybody is a superuser in lists',
    levels('is_superuser) ? TRUE : FALSE', 'is_superuser) ? TRUE : TRUE'),
    matrix('listConnections'),
  ),
  one(
    'a grant of everything is lost at the gate',
    levels('gc.connection_id in (0, c.id)', 'gc.connection_id in (c.id)'),
    matrix('getConnection'),
  ),
  one(
    'a grant of everything is lost in lists',
    levels('greatest(\n          ${grantedOnAll(subject)},', 'greatest(\n          0,'),
    sequences,
  ),
  one(
    'granted to write is to read in lists',
    levels("gc.access_level = 'read_write') then 2", "gc.access_level = 'read_write') then 1"),
    sequences,
  ),
  one(
    'granted to read is to write',
    levels(
      "case gc.access_level when 'read_write' then 2 else 1 end)`",
      "case gc.access_level when 'read_write' then 2 else 2 end)`",
    ),
    matrix('retestConnectionCoverage'),
  ),
  one(
    'every grant is everybody’s',
    levels('where gc.group_id = any(${groups})', 'where ${groups} is not null'),
    matrix('getConnection'),
  ),
];

const atTheObject = [
  one(
    'clusters show to everybody',
    visible(
      'exists (select from matriarch.connections c where ${belongs} and ${visible(principal)})',
      'true',
    ),
    matrix('getCluster', 'listClusters'),
  ),
  one(
    'empty clusters show to managers of what is not empty',
    visible(
      'and not exists (select from matriarch.connections c where ${belongs} and c.deleted_at is null)',
      '',
    ),
    matrix('getCluster'),
  ),
  one(
    'groups of clusters show to everybody',
    visible('or g.is_default', 'or true'),
    matrix('getClusterGroup'),
  ),
  one(
    'scopes show to everybody',
    scoped('if (await isScopeVisible(ctx.db, ctx.principal, wanted)) return;', 'return;'),
    matrix('listProbeOverrides'),
  ),
  one(
    'everybody changes groups of clusters',
    shelves('if (group.owner_id === ctx.principal.user_id || manages(ctx)) return;', 'return;'),
    suite('estate/clusters/cluster-groups'),
    matrix('updateClusterGroup'),
  ),
];

const givingNoMore = [
  one('superusers are like others', rights('rights.is_superuser && !principal.is_superuser', 'false'), rbac),
  one(
    'permissions are not compared',
    rights(
      'rights.admin_permissions.find((name) => !hasPermission(principal, name))',
      'rights.admin_permissions.find(() => false)',
    ),
    rbac,
  ),
  one('tools are not compared', rights('!hasMcpPrivilege(principal, identifier)', 'false'), rbac),
  one(
    'connections are not compared',
    rights("row.reaches_more ? 'more access to connections' : undefined", 'undefined'),
    rbac,
  ),
  one(
    'a superuser with a ceiling has everything',
    rights('is_superuser && scope?.connections === undefined && scope?.mcp === undefined', 'is_superuser'),
    rbac,
  ),
  one(
    'connections to come are not compared',
    compared('${wildcardLevel(theirs)} > ${wildcardLevel(own)}', 'false'),
    rbac,
    sequences,
  ),
  one(
    'anybody joins anybody to a group',
    grouping("await demandNoMore(tx, { kind: 'group', id: groupId });", ''),
    rbac,
    sequences,
  ),
  one('groups go in circles', grouping('(await isBelow(tx.db, groupId, member.id))', 'false'), groups),
  one(
    'anybody makes tokens of anybody',
    tokening(
      "const owner = await requireUser(tx, input.owner_username);\n    await demandNoMore(tx, { kind: 'token', user_id: owner.id, scope: undefined });",
      'const owner = await requireUser(tx, input.owner_username);',
    ),
    rbac,
    sequences,
  ),
  one(
    'anybody widens a scope',
    tokening("await demandNoMore(tx, { kind: 'token', user_id: token.user_id, scope });", ''),
    rbac,
    sequences,
  ),
  one(
    'anybody clears a scope',
    tokening(
      "const token = await auth.lockToken(tx, id);\n    await demandNoMore(tx, { kind: 'token', user_id: token.user_id, scope: undefined });",
      'const token = await auth.lockToken(tx, id);',
    ),
    rbac,
    sequences,
  ),
  {
    what: 'anybody changes anybody',
    edits: [
      using("await demandNoMore(ctx, { kind: 'user', id });", ''),
      using(
        "const user = await lockAccount(tx, id);\n    await demandNoMore(tx, { kind: 'user', id });\n    const changesSuperuser",
        'const user = await lockAccount(tx, id);\n    const changesSuperuser',
      ),
    ],
    tests: users,
  },
  one(
    'anybody deletes anybody',
    using(
      "await demandNoMore(tx, { kind: 'user', id });\n    demandOther(tx, user);",
      'demandOther(tx, user);',
    ),
    users,
    sequences,
  ),
  one(
    'anybody makes superusers',
    using('if (is_superuser && !hasEverything(ctx.principal))', 'if (false)'),
    users,
  ),
  one(
    'anybody turns users into superusers',
    using('if (changesSuperuser && !hasEverything(ctx.principal))', 'if (false)'),
    users,
  ),
  one(
    'anybody grants any tool',
    granting(
      'identifiers.find((identifier) => !hasMcpPrivilege(ctx.principal, identifier))',
      'identifiers.find(() => false)',
    ),
    rbac,
  ),
  one(
    'anybody grants any connection',
    granting("if (own < (access_level === 'read' ? 1 : 2))", 'if (false)'),
    rbac,
    sequences,
  ),
  one(
    'the last superuser goes',
    accounts('if (await ctx.db.maybe(queries.findOtherSuperuser(user.id))) return;', 'return;'),
    users,
  ),
  one(
    'people delete themselves',
    accounts('if (user.id === ctx.principal.user_id) throw', 'if (false) throw'),
    superusers,
  ),
  one(
    'people disable themselves',
    accounts('if (disables && user.id === ctx.principal.user_id)', 'if (false)'),
    users,
  ),
  one(
    'who may read shares for writing',
    connections('if (wanted !== true || row.is_shared) return;', 'return;'),
    suite('estate/connections/connections'),
  ),
  one(
    'owners share as they like',
    connections("if (hasPermission(ctx.principal, 'manage_connections')) return;", 'return;'),
    suite('estate/connections/connections'),
    sequences,
  ),
  one(
    'passwords go where others say',
    passwords('if (found.size === 0) return;', 'return;'),
    suite('estate/connections/connections-redirect', 'who entered it'),
  ),
  one(
    'a collector trusts the row',
    passwords('destination === null || goesElsewhere(destination, row)', 'destination === null'),
    suite('estate/connections/connections-redirect', 'behind our back'),
  ),
];

const atTheChannel = [
  one(
    'whoever knows a channel is PagerDuty',
    paging('if (fits && secret !== undefined) return;', 'return;'),
    matrix('receivePagerDutyWebhook'),
    pagerTests,
  ),
  one(
    'a channel acknowledges what it was not told of',
    signing('told.some(({ facts }) => dedupKey(facts) === key)', 'told.length >= 0'),
    pagerTests,
  ),
  one(
    'secrets of channels go where others say',
    channelSecrets('if (isElsewhere && kept.length > 0)', 'if (false)'),
    channelTests,
  ),
  one(
    'who sends trusts the row of the channel',
    channelSecrets('if (row.destination !== destination)', 'if (false)'),
    channelTests,
  ),
  one(
    'deliveries are told of alerts that are hidden',
    deliveries('where a.id = ${id}::bigint and ${visible(reader)}', 'where a.id = ${id}::bigint'),
    suite('alerting/alerts/outbox', 'only those of connections'),
  ),
];

const asking = inFile('assistant/sql/datastore-sql.queries.ts');
const askedViews = inFile('monitored/read-only-sql/stored.ts');
const secretSettings = inFile('monitored/read-only-sql/settings.ts');
const role = inFile('datastore/query-role.ts');
const toolbox = inFile('assistant/tools/toolbox.ts');
const stored = suite('assistant/tools/query-datastore');

const atTheTools = [
  one(
    'query_datastore shows every connection',
    asking('where c.deleted_at is null and ${visible(principal)}', 'where c.deleted_at is null'),
    stored,
  ),
  one(
    'query_datastore reads whatever is named',
    askedViews(
      '(relation.schema === null || relation.schema === schema) && names.has(relation.name)',
      'true',
    ),
    stored,
  ),
  one(
    'query_datastore calls whatever reads',
    askedViews('if (!isPure(name) && !STABLE.has(name))', 'if (false)'),
    stored,
  ),
  one(
    'a role that may do more is used',
    role('if (!state.is_narrow)', 'if (false)'),
    suite('datastore/query-role', 'is narrow'),
  ),
  one(
    'secrets among settings are shown',
    secretSettings('if (masked.queries.length === 0) return sent;', 'return sent;'),
    suite('monitored/read-only-sql/settings', 'on PostgreSQL 18 '),
  ),
  one(
    'tools are called without a limit',
    toolbox('if (taken.allowed) return undefined;', 'return undefined;'),
    suite('assistant/tools/sql-tools', 'how often'),
  ),
];

const scopeGrants = suite('identity/rbac/rbac-scopes');
const rounds = suite('estate/topology/rounds');
const grantingScopes = inFile('identity/rbac/rbac-scopes.service.ts');
const members = inFile('identity/access/members.service.ts');
const memberRows = inFile('identity/access/members.queries.ts');
const ofClusters = [
  one(
    'every grant on a cluster is everybody’s',
    levels('where ig.group_id = any(${groups})', 'where ${groups} is not null'),
    access,
    scopeGrants,
    sequences,
  ),
  one(
    'a grant on a cluster is lost at the gate',
    levels('${inherited(subject)} and ig.connection_id = c.id), 0)', '${inherited(subject)} and false), 0)'),
    scopeGrants,
    access,
  ),
  one(
    'anybody grants any cluster with the servers to come',
    grantingScopes(
      '(await queries.findOwnScopeLevel(tx.db, tx.principal, wanted)) < LEVELS[access_level]',
      'LEVELS[access_level] < 0',
    ),
    scopeGrants,
  ),
  one(
    'anybody joins anybody to a group that has a cluster',
    compared('${scopeLevel(theirs, GIVEN)} > ${scopeLevel(own, GIVEN)}', 'false'),
    scopeGrants,
  ),
  one(
    'a server is moved to a cluster that gives more than its mover has',
    members('if (lacking.length === 0) return;', 'if (lacking.length >= 0) return;'),
    scopeGrants,
    sequences,
  ),
  one(
    'detection gives access to whatever it finds',
    memberRows('am.system_identifier = n.system_identifier and', 'true and'),
    rounds,
  ),
  one(
    'a server that left its cluster inherits again when it comes back',
    inFile('estate/scopes/scopes.service.ts')('  await dropStrays(ctx.db);\n', ''),
    rounds,
    scopeGrants,
  ),
];

export const mutants = [
  ...atTheTools,
  ...ofTheWhole,
  ...atTheGate,
  ...atTheLevel,
  ...atTheObject,
  ...givingNoMore,
  ...ofClusters,
  ...atTheChannel,
];
