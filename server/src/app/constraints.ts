// What every room says when a rule of its tables is broken, together: what the API answers with.
import type { ConstraintFaults } from '../kernel/errors.ts';
import { userConstraints } from '../identity/auth/users.constraints.ts';
import { clusterConstraints } from '../estate/clusters/clusters.constraints.ts';
import { connectionConstraints } from '../estate/connections/connections.constraints.ts';
import { channelConstraints } from '../alerting/notification-channels/notification-channels.constraints.ts';
import { groupConstraints } from '../identity/rbac/rbac-groups.constraints.ts';

export const allConstraints: ConstraintFaults = {
  ...channelConstraints,
  ...clusterConstraints,
  ...connectionConstraints,
  ...groupConstraints,
  ...userConstraints,
};
