// After a change, what shows it is read again, and nothing else.
import { expect, it } from 'vitest';
import { touches } from './touches.ts';

it('is what is read of the same area, and of those that show it', () => {
  expect(touches('createUser', 'listUsers')).toBe(true);
  expect(touches('addGroupMember', 'getUserPrivileges')).toBe(true);
  expect(touches('deleteUser', 'listConnections')).toBe(true);
  expect(touches('updateProbeConfig', 'getConnectionCoverage')).toBe(true);
  expect(touches('updateConnection', 'getEstate')).toBe(true);
});

it('is nothing that cannot have changed', () => {
  expect(touches('updateProbeConfig', 'listUsers')).toBe(false);
  expect(touches('changeOwnPassword', 'getEstate')).toBe(false);
  expect(touches('testConnection', 'getEstate')).toBe(false);
  expect(touches('createUser', 'noSuchOperation')).toBe(false);
});
