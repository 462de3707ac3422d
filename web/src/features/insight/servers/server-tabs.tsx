// The parts of a server's page, in the order of the strip, in groups. Those with charts or long tables are code of their own, fetched
// when they are opened, or in a quiet moment before.
import { type ComponentType, lazy } from 'react';
import type { Coverage, EstateServer, ServerInfo } from '../../../api/types.ts';
import layout from '../../../ui/layout.module.css';
import type { Tab } from '../../../ui/tabs.tsx';
import { problemsOf } from '../../history/coverage/coverage-words.ts';
import { Cockpit } from '../cockpit/cockpit.tsx';
import { allOf, graveOf, type ServerFindingCounts } from '../finding-counts/use-finding-counts.ts';

export interface ServerFacts {
  info: ServerInfo;
  coverage: Coverage | undefined;
  server: EstateServer | undefined;
  findings: ServerFindingCounts | undefined;
}

type View = ComponentType<{ facts: ServerFacts }>;

export interface ServerTab {
  key: string;
  title: string;
  View: View;
  /** Fetches its code. */
  load?: () => Promise<unknown>;
  /** The first of a group. */
  isFirst?: true;
  /** A count beside the title. */
  mark?: (facts: ServerFacts) => Partial<Pick<Tab, 'count' | 'attention'>>;
  /** Also shown while nothing was collected yet. */
  isAlways?: true;
}

type LoadPart = () => Promise<ComponentType<{ id: number; coverage: Coverage | undefined }>>;

/** A part that reads what it shows by itself. */
function lazily(load: LoadPart): Pick<ServerTab, 'View' | 'load'> {
  const View = lazy(async () => {
    const Part = await load();
    return {
      default: ({ facts: { info, coverage } }: { facts: ServerFacts }) => (
        <Part id={info.connection_id} coverage={coverage} />
      ),
    };
  });
  return { View, load };
}

/** The same with what is known of it already beneath it. */
function withFacts(load: LoadPart, After: View) {
  const { View: Part } = lazily(load);
  const View: View = ({ facts }) => (
    <div className={layout.stack}>
      <Part facts={facts} />
      <After facts={facts} />
    </div>
  );
  return { View, load: () => Promise.all([load(), facts()]) };
}

function coverageMark({ coverage }: ServerFacts) {
  const problems = coverage ? problemsOf(coverage).length : 0;
  return problems > 0 ? { count: problems, attention: 'not collected' } : {};
}

function findingsMark({ findings }: ServerFacts) {
  const count = findings ? allOf(findings) : 0;
  if (!findings || count === 0) return {};
  return graveOf(findings) > 0 ? { count, attention: 'open' } : { count };
}

/** What is known of it already, shown where another part is opened. */
const facts = () => import('./server-facts.tsx');
const DatabaseFacts = lazy(async () => ({ default: (await facts()).DatabaseFacts }));
const MachineFacts = lazy(async () => ({ default: (await facts()).MachineFacts }));
const ServerFactsPanel = lazy(async () => ({ default: (await facts()).ServerFactsPanel }));
const ClusterFacts = lazy(async () => ({ default: (await facts()).ClusterFacts }));
const Extensions = lazy(async () => ({ default: (await facts()).ExtensionFacts }));

// biome-ignore format: a line for each part
export const SERVER_TABS: readonly ServerTab[] = [
  { key: 'overview', title: 'Overview', View: Cockpit },
  { key: 'findings', title: 'Findings', ...lazily(async () => (await import('../findings/findings-view.tsx')).FindingsView), mark: findingsMark, isAlways: true },
  { key: 'activity', title: 'Activity', ...lazily(async () => (await import('../../history/activity/activity-view.tsx')).ActivityView), isFirst: true },
  { key: 'load', title: 'Load', ...lazily(async () => (await import('../../history/load/load-view.tsx')).LoadView) },
  { key: 'sessions', title: 'Sessions', ...lazily(async () => (await import('../../history/sessions/sessions-view.tsx')).SessionsView) },
  { key: 'locks', title: 'Locks', ...lazily(async () => (await import('../../history/locks/locks-view.tsx')).LocksView) },
  { key: 'queries', title: 'Queries', ...lazily(async () => (await import('../../history/queries/queries-view.tsx')).QueriesView), isFirst: true },
  { key: 'databases', title: 'Databases', ...withFacts(async () => (await import('../../history/objects/databases-view.tsx')).DatabasesView, DatabaseFacts), isFirst: true },
  { key: 'tables', title: 'Tables', ...lazily(async () => (await import('../../history/objects/tables-view.tsx')).TablesView) },
  { key: 'indexes', title: 'Indexes', ...lazily(async () => (await import('../../history/objects/indexes-view.tsx')).IndexesView) },
  { key: 'replication', title: 'Replication', ...withFacts(async () => (await import('../../history/replication/replication-view.tsx')).ReplicationView, ClusterFacts), isFirst: true },
  { key: 'system', title: 'System', ...withFacts(async () => (await import('../../history/system/system-view.tsx')).SystemView, MachineFacts), isFirst: true },
  { key: 'settings', title: 'Settings', ...withFacts(async () => (await import('../../history/settings/settings-view.tsx')).SettingsView, ServerFactsPanel), isFirst: true },
  { key: 'extensions', title: 'Extensions', View: Extensions, load: facts, mark: ({ info }) => ({ count: info.extensions.length || undefined }) },
  { key: 'probes', title: 'Probes', ...lazily(async () => (await import('../../estate/probes/probe-settings-view.tsx')).ProbeSettingsView), isAlways: true },
  { key: 'coverage', title: 'Coverage', ...lazily(async () => (await import('../../history/coverage/coverage-view.tsx')).CoverageView), mark: coverageMark, isAlways: true },
  { key: 'timeline', title: 'Timeline', ...lazily(async () => (await import('../timeline/timeline-view.tsx')).TimelineView), isAlways: true, isFirst: true },
  { key: 'logs', title: 'Logs', ...lazily(async () => (await import('../../history/logs/logs-view.tsx')).LogsView), isAlways: true },
];
