// The pages of administration, as data: the navigation shows each only to those whom its operations answer.
import type { ComponentType } from 'react';
import type { PermissionName } from '../features/rbac/rights.ts';
import { AccessIcon, AuditIcon, GroupIcon, TokenIcon, UserIcon } from '../ui/icons.ts';

export interface AdminPage {
  title: string;
  path: string;
  icon: ComponentType<{ size: number }>;
  /** One of them is enough. */
  permissions: readonly PermissionName[];
}

export const ADMIN_PAGES: readonly AdminPage[] = [
  { title: 'Users', path: '/admin/users', icon: UserIcon, permissions: ['manage_users'] },
  {
    title: 'Groups',
    path: '/admin/groups',
    icon: GroupIcon,
    permissions: ['manage_groups', 'manage_permissions'],
  },
  { title: 'Tokens', path: '/admin/tokens', icon: TokenIcon, permissions: ['manage_token_scopes'] },
  { title: 'Effective access', path: '/admin/access', icon: AccessIcon, permissions: ['manage_users'] },
  { title: 'Audit log', path: '/admin/audit', icon: AuditIcon, permissions: ['view_audit'] },
];
