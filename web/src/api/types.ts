// Names for the shapes that the pages pass around; each is exactly what an operation answers or takes.
import type { OperationTypes } from './operations.gen.ts';

export type Estate = OperationTypes['getEstate']['result'];
export type EstateServer = Estate['servers'][number];

export type ServerInfo = OperationTypes['getServerInfo']['result'];
export type SystemInfo = ServerInfo['system'];
export type ServerDisk = SystemInfo['disks'][number];
export type ServerDatabase = ServerInfo['databases'][number];
export type KeySetting = ServerInfo['key_settings'][number];

export type Coverage = OperationTypes['getConnectionCoverage']['result'];
export type CoverageEntry = Coverage['probes'][number];
export type HostValue = Coverage['host_values'][number];

export type Connection = OperationTypes['getConnection']['result'];
export type ConnectionBody = OperationTypes['createConnection']['body'];
export type ConnectionTest = OperationTypes['testConnection']['result'];
export type TestStep = ConnectionTest['steps'][number];
export type SignInOptions = OperationTypes['getSignInOptions']['result'];
export type UserInfo = OperationTypes['getUserInfo']['result'];
