// Every page, as data: its address, its title, its code, and whether the navigation leads to it. Pages beyond the estate
// are loaded when they are opened, or in a quiet moment before, so that one also opens while the server is away.
import type { ComponentType } from 'react';
import { AlertTotal } from '../features/alerting/alert-counts/alert-count.tsx';
import type { PermissionName } from '../features/identity/auth/rights.ts';
import { EstatePage } from '../features/insight/estate-page/estate-page.tsx';
import { FindingTotal } from '../features/insight/finding-counts/finding-count.tsx';
import {
  AccessIcon,
  AiIcon,
  AlertIcon,
  AssistantIcon,
  AuditIcon,
  BlackoutIcon,
  ChannelIcon,
  ClusterIcon,
  FindingIcon,
  GroupIcon,
  LogsIcon,
  PlanIcon,
  ProbeIcon,
  ReportIcon,
  RuleIcon,
  RunwayIcon,
  ServerIcon,
  TimelineIcon,
  TokenIcon,
  UserIcon,
} from '../ui/icons.ts';

export interface Page {
  path: string;
  title: string;
  /** Loaded when it is opened. */
  load?: () => Promise<ComponentType>;
  /** Loaded with the first page. */
  page?: ComponentType;
  /** The navigation leads to it with this. */
  icon?: ComponentType<{ size: number }>;
  /** In which group of the navigation its link is; absent: administration where it needs a permission, else Watch. */
  isSetUp?: true;
  /** Beside its title in the navigation: what asks for attention. */
  badge?: ComponentType;
  /** For administration: the navigation leads those there who hold one of them, whom its operations answer. */
  permissions?: readonly PermissionName[];
  /** For those who are not signed in. */
  isPublic?: true;
}

/** As it stands in the navigation. */
export const PAGES: readonly Page[] = [
  {
    path: '/sign-in',
    title: 'Sign in',
    load: async () => (await import('../features/identity/auth/sign-in-page.tsx')).SignInPage,
    isPublic: true,
  },
  {
    path: '/sign-in/callback/:provider',
    title: 'Sign in',
    load: async () => (await import('../features/identity/auth/provider-answer-page.tsx')).ProviderAnswerPage,
    isPublic: true,
  },
  {
    path: '/link',
    title: 'Sign in',
    load: async () => (await import('../features/identity/auth/link-page.tsx')).LinkPage,
    isPublic: true,
  },
  { path: '/', title: 'Estate', page: EstatePage, icon: ServerIcon },
  {
    path: '/servers/new',
    title: 'Add a server',
    load: async () =>
      (await import('../features/estate/connections/add-connection-page.tsx')).AddConnectionPage,
  },
  {
    path: '/servers/:id',
    title: 'Server',
    load: async () => {
      const { ServerPage, fetchPart } = await import('../features/insight/servers/server-page.tsx');
      fetchPart(window.location.search);
      return ServerPage;
    },
  },
  {
    path: '/servers/:id/edit',
    title: 'Edit',
    load: async () =>
      (await import('../features/estate/connections/edit-connection-page.tsx')).EditConnectionPage,
  },
  {
    path: '/servers/:id/queries/:queryid',
    title: 'Statement',
    load: async () => (await import('../features/history/queries/query-page.tsx')).QueryPage,
  },
  {
    path: '/clusters',
    title: 'Clusters',
    load: async () => (await import('../features/estate/clusters/clusters-page.tsx')).ClustersPage,
    icon: ClusterIcon,
    isSetUp: true,
  },
  {
    path: '/clusters/:id',
    title: 'Cluster',
    load: async () => (await import('../features/estate/clusters/cluster-page.tsx')).ClusterPage,
  },
  {
    path: '/alerts',
    title: 'Alerts',
    load: async () => (await import('../features/alerting/alerts/alerts-page.tsx')).AlertsPage,
    icon: AlertIcon,
    badge: AlertTotal,
  },
  {
    path: '/alerts/rules',
    title: 'Alert rules',
    load: async () => (await import('../features/alerting/alert-rules/rules-page.tsx')).RulesPage,
    icon: RuleIcon,
    isSetUp: true,
  },
  {
    path: '/alerts/:id',
    title: 'Alert',
    load: async () => (await import('../features/alerting/alerts/alert-page.tsx')).AlertPage,
  },
  {
    path: '/findings',
    title: 'Findings',
    load: async () => (await import('../features/insight/findings/findings-page.tsx')).FindingsPage,
    icon: FindingIcon,
    badge: FindingTotal,
  },
  {
    path: '/findings/checks',
    title: 'Checks',
    load: async () => (await import('../features/insight/findings/checks-page.tsx')).ChecksPage,
  },
  {
    path: '/findings/:id',
    title: 'Finding',
    load: async () => (await import('../features/insight/findings/finding-page.tsx')).FindingPage,
  },
  {
    path: '/runway',
    title: 'Runway',
    load: async () => (await import('../features/insight/runway/runway-page.tsx')).RunwayPage,
    icon: RunwayIcon,
  },
  {
    path: '/report',
    title: 'Report',
    load: async () => (await import('../features/insight/report/report-page.tsx')).ReportPage,
    icon: ReportIcon,
  },
  {
    path: '/timeline',
    title: 'Timeline',
    load: async () => (await import('../features/insight/timeline/timeline-page.tsx')).TimelinePage,
    icon: TimelineIcon,
  },
  {
    path: '/logs',
    title: 'Logs',
    load: async () => (await import('../features/history/logs/logs-page.tsx')).LogsPage,
    icon: LogsIcon,
  },
  {
    path: '/plan',
    title: 'Query plan',
    load: async () => (await import('../features/history/plan/plan-page.tsx')).PlanPage,
    icon: PlanIcon,
  },
  {
    path: '/blackouts',
    title: 'Silences',
    load: async () => (await import('../features/alerting/blackouts/blackouts-page.tsx')).BlackoutsPage,
    icon: BlackoutIcon,
    isSetUp: true,
  },
  {
    path: '/channels',
    title: 'Channels',
    load: async () => (await import('../features/alerting/channels/channels-page.tsx')).ChannelsPage,
    icon: ChannelIcon,
    isSetUp: true,
  },
  {
    path: '/channels/new',
    title: 'Add a channel',
    load: async () => (await import('../features/alerting/channels/add-channel-page.tsx')).AddChannelPage,
  },
  {
    path: '/channels/:id',
    title: 'Channel',
    load: async () => (await import('../features/alerting/channels/channel-page.tsx')).ChannelPage,
  },
  {
    path: '/probes',
    title: 'Probes',
    load: async () => (await import('../features/estate/probes/probes-page.tsx')).ProbesPage,
    icon: ProbeIcon,
    isSetUp: true,
  },
  {
    path: '/assistants',
    title: 'Assistants',
    load: async () => (await import('../features/assistant/assistants/assistants-page.tsx')).AssistantsPage,
    icon: AssistantIcon,
    isSetUp: true,
  },
  {
    path: '/models',
    title: 'Language models',
    load: async () => (await import('../features/assistant/models/models-page.tsx')).ModelsPage,
    icon: AiIcon,
    isSetUp: true,
  },
  {
    path: '/account',
    title: 'Account',
    load: async () => (await import('../features/identity/account/account-page.tsx')).AccountPage,
  },
  {
    path: '/admin/users',
    title: 'Users',
    load: async () => (await import('../features/identity/rbac/users-page.tsx')).UsersPage,
    icon: UserIcon,
    permissions: ['manage_users'],
  },
  {
    path: '/admin/groups',
    title: 'Groups',
    load: async () => (await import('../features/identity/rbac/groups-page.tsx')).GroupsPage,
    icon: GroupIcon,
    permissions: ['manage_groups', 'manage_permissions'],
  },
  {
    path: '/admin/groups/:id',
    title: 'Group',
    load: async () => (await import('../features/identity/rbac/group-page.tsx')).GroupPage,
  },
  {
    path: '/admin/tokens',
    title: 'Tokens',
    load: async () => (await import('../features/identity/rbac/tokens-page.tsx')).TokensPage,
    icon: TokenIcon,
    permissions: ['manage_token_scopes'],
  },
  {
    path: '/admin/access',
    title: 'Effective access',
    load: async () => (await import('../features/identity/rbac/access-page.tsx')).AccessPage,
    icon: AccessIcon,
    permissions: ['manage_users'],
  },
  {
    path: '/admin/audit',
    title: 'Audit log',
    load: async () => (await import('../features/identity/audit/audit-page.tsx')).AuditPage,
    icon: AuditIcon,
    permissions: ['view_audit'],
  },
];
