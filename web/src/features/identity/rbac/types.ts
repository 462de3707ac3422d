// Names for the shapes of this room; each is exactly what an operation answers or takes.
import type { OperationTypes } from '../../../api/operations.gen.ts';

export type User = OperationTypes['listUsers']['result']['users'][number];
export type UserBody = OperationTypes['createUser']['body'];
export type UserChange = OperationTypes['updateUser']['body'];
export type Group = OperationTypes['listGroups']['result']['groups'][number];
export type GroupDetail = OperationTypes['getGroup']['result'];
export type Grant = OperationTypes['setGroupConnectionPrivileges']['body']['connections'][number];
export type Token = OperationTypes['listTokens']['result']['tokens'][number];
export type CreatedToken = OperationTypes['createToken']['result'];
export type Scope = NonNullable<Token['scope']>;
export type ScopeBody = OperationTypes['setTokenScope']['body'];
export type McpPrivilege = OperationTypes['listMcpPrivileges']['result'][number];
export type Privileges = OperationTypes['getUserPrivileges']['result'];
export type ConnectionItem = OperationTypes['listConnections']['result'][number];
