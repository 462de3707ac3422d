import { expect, it } from 'vitest';
import { ADMIN_PERMISSIONS } from '../../../../../server/src/identity/access/permissions.schemas.ts';
import { PERMISSION_NAMES, permissionWords } from './rights.ts';
import { mayUse } from './use-user.ts';

it('has words for every admin permission that the server knows, and for no other', () => {
  expect([...PERMISSION_NAMES].sort()).toEqual([...ADMIN_PERMISSIONS].sort());
  for (const name of [...ADMIN_PERMISSIONS, '*']) expect(permissionWords(name), name).not.toBe('');
  expect(permissionWords('toString')).toBe('');
});

it('lets superusers and holders of * do everything, others what they hold', () => {
  const user = { authenticated: true, is_superuser: false };
  expect(mayUse({ ...user, is_superuser: true, admin_permissions: [] }, 'view_audit')).toBe(true);
  expect(mayUse({ ...user, admin_permissions: ['*'] }, 'view_audit')).toBe(true);
  const holder = { ...user, admin_permissions: ['manage_groups'] };
  expect(mayUse(holder, 'manage_permissions', 'manage_groups')).toBe(true);
  expect(mayUse(holder, 'view_audit')).toBe(false);
  expect(mayUse(undefined, 'view_audit')).toBe(false);
});
