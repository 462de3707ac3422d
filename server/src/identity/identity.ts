// The face of the wing identity: what other wings may use of who asks, what they may, what they did, and the secrets that are kept for them.
export { findConnectionAccess, isLimitedToSome, levelOf, visible } from './access/access.queries.ts';
export {
  type Access,
  createAccess,
  demandConnection,
  demandConnections,
  demandEstate,
  hasMcpPrivilege,
  isAllowed,
} from './access/access.service.ts';
export { withReadBudget } from './access/costly-reads.ts';
export {
  connectionErrorsVersion,
  namesFingerprint,
  serversFingerprint,
  statesFingerprint,
  versionsOf,
} from './access/fingerprint.queries.ts';
export { findPrincipal } from './access/holder.service.ts';
export { admitSameSystem, dropStrays } from './access/members.queries.ts';
export { admitCluster, admitServer, forgetMembers } from './access/members.service.ts';
export { hasPermission } from './access/permissions.ts';
export { type Ctx, inTransaction, type Principal, type PublicCtx } from './access/principal.ts';
export { isLimited, seenReport } from './access/reports-seen.queries.ts';
export { lockRights } from './access/rights.queries.ts';
export { changingRights } from './access/rights.service.ts';
export {
  clusterJoins,
  clusterName,
  loneServer,
  visibleCluster,
  visibleClusterGroup,
} from './access/scopes.queries.ts';
export {
  type AuditAction,
  type AuditCtx,
  type AuditEntry,
  type AuditValue,
  recordAudit,
  recordAudits,
  systemActor,
  systemPrincipal,
} from './audit/audit.service.ts';
export type { PasswordSources } from './secrets/password-sources/password-sources.ts';
export type { Vault } from './secrets/vault.service.ts';
