import { describe, expect, it } from 'vitest';
import {
  emptyDimension,
  expiryText,
  scopeBodyOf,
  scopeDraftOf,
  scopeSummary,
  UNRESTRICTED,
} from './scope-values.ts';
import type { Scope } from './types.ts';

const read = { connection_id: 2, access_level: 'read' as const };

describe('a scope', () => {
  it.each<[Scope | undefined, object | undefined]>([
    [undefined, undefined],
    [{ scoped: false }, undefined],
    [{ scoped: true, connections: [] }, { connections: [] }],
    [
      { scoped: true, connections: [read], mcp_identifiers: ['*'], admin_permissions: [] },
      { connections: [read], mcp_privileges: ['*'], admin_permissions: [] },
    ],
  ])('%j comes back as it was edited: absent stays absent, empty stays empty', (scope, body) => {
    expect(scopeBodyOf(scopeDraftOf(scope))).toEqual(body);
  });

  it('forgets its entries where it says nothing or everything', () => {
    const draft = { ...UNRESTRICTED, mcp: { mode: 'none' as const, entries: ['query_metrics'] } };
    expect(scopeBodyOf(draft)).toEqual({ mcp_privileges: [] });
    const open = { ...UNRESTRICTED, mcp: { mode: 'all' as const, entries: ['query_metrics'] } };
    expect(scopeBodyOf(open)).toBeUndefined();
  });

  it('that says "only these" and names none is not finished', () => {
    expect(emptyDimension(UNRESTRICTED)).toBeUndefined();
    expect(emptyDimension({ ...UNRESTRICTED, admin: { mode: 'some', entries: [] } })).toBe('admin');
  });

  it.each<[Scope | undefined, string]>([
    [undefined, 'Unrestricted'],
    [{ scoped: false }, 'Unrestricted'],
    [{ scoped: true, connections: [read] }, '1 server'],
    [{ scoped: true, connections: [{ ...read, connection_id: 0 }, read] }, 'every server (read)'],
    [
      { scoped: true, connections: [], mcp_identifiers: [], admin_permissions: [] },
      'no server · no MCP tool · no permission',
    ],
    [{ scoped: true, mcp_identifiers: ['*'], admin_permissions: ['*'] }, 'every MCP tool · every permission'],
    [{ scoped: true, mcp_identifiers: ['a', 'b'] }, '2 MCP tools'],
  ])('%j reads %j', (scope, words) => expect(scopeSummary(scope)).toBe(words));
});

describe('an expiry', () => {
  const now = Date.parse('2026-11-20T10:00:00Z') / 1000;
  it.each([
    ['2026-11-20T10:00:00Z', 'expired'],
    ['2026-11-19T10:00:00Z', 'expired'],
    ['2026-11-20T10:00:20Z', 'in 1 min'],
    ['2026-11-20T12:59:00Z', 'in 2 h'],
    ['2026-12-20T10:00:00Z', 'in 30 d'],
    ['2026-11-27T09:59:00Z', 'in 7 d'],
    ['soon', 'at an unknown time'],
  ])('at %s is %s', (at, words) => expect(expiryText(at, now)).toBe(words));
});
