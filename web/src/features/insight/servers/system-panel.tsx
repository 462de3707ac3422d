// The machine under the server. Host facts come from several sources; where each came from is said, and when none
// could be had, why and what would change that.
import { Link } from 'react-router';
import type { Coverage, ServerDisk, SystemInfo } from '../../../api/types.ts';
import { countOf, formatBytes, formatHertz, percentOf, volumePercent } from '../../../lib/format.ts';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import layout from '../../../ui/layout.module.css';
import { Meter } from '../../../ui/meter.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { sourceTitle } from '../../history/coverage/coverage-words.ts';
import { newestTime, sourceOf, sourcesOf } from './host-sources.ts';
import classes from './system-panel.module.css';

interface UsageProps {
  used: number | null;
  total: number;
  /** Of what may be used, where that is less than all. */
  percent?: number | null;
}

function Usage({ used, total, percent = percentOf(used, total) }: UsageProps) {
  if (used === null || percent === null) return <>{formatBytes(total)}</>;
  return (
    <div className={classes.usage}>
      <span>
        {formatBytes(used)} of {formatBytes(total)}
        <span className={classes.percent}>{Math.round(percent)} %</span>
      </span>
      <Meter percent={percent} tone={percent >= 95 ? 'bad' : percent >= 85 ? 'warn' : 'plain'} />
    </div>
  );
}

function cores(system: SystemInfo): string | null {
  const { cpu_cores: physical, cpu_logical: logical } = system;
  if (physical === null && logical === null) return null;
  if (physical === null) return countOf(logical ?? 0, 'logical processor');
  return `${countOf(physical, 'core')}${logical === null ? '' : `, ${countOf(logical, 'thread')}`}`;
}

function join(...parts: (string | null)[]): string | null {
  const known = parts.filter((part) => part !== null && part !== '');
  return known.length > 0 ? known.join(' ') : null;
}

interface Item extends KeyValue {
  /** The field whose source is told. */
  field: string;
}

function itemsOf(system: SystemInfo): Item[] {
  const { memory_total_bytes: memory, swap_total_bytes: swap } = system;
  return [
    { name: 'Host', field: 'hostname', value: system.hostname },
    { name: 'System', field: 'os_name', value: join(system.os_name, system.os_version) },
    { name: 'Architecture', field: 'architecture', value: system.architecture },
    { name: 'CPU', field: 'cpu_model', value: system.cpu_model },
    { name: 'Cores', field: 'cpu_cores', value: cores(system) },
    {
      name: 'Clock',
      field: 'cpu_clock_speed',
      value: system.cpu_clock_speed === null ? null : formatHertz(system.cpu_clock_speed),
    },
    {
      name: 'Memory',
      field: 'memory_total_bytes',
      value: memory === null ? null : <Usage used={system.memory_used_bytes} total={memory} />,
    },
    {
      name: 'Swap',
      field: 'swap_total_bytes',
      value:
        swap === null ? null : swap === 0 ? 'none' : <Usage used={system.swap_used_bytes} total={swap} />,
    },
  ];
}

function Disk({ disk }: { disk: ServerDisk }) {
  return (
    <li className={classes.disk}>
      <div className={classes.mount}>
        <code>{disk.mount_point}</code>
        <span className={layout.small}>{disk.filesystem_type}</span>
      </div>
      <Usage
        used={disk.used_bytes}
        total={disk.total_bytes}
        percent={volumePercent(disk.used_bytes, disk.free_bytes)}
      />
    </li>
  );
}

function Nothing({ coverage }: { coverage: Coverage | undefined }) {
  const reasons = (coverage?.host_sources ?? []).filter((one) => one.status !== 'ok' && one.reason);
  return (
    <div className={classes.nothing}>
      <p>Nothing is known about the machine. Processor, memory and disks can come from any one of these:</p>
      <ul>
        {reasons.map((one) => (
          <li key={one.source}>
            <strong>{sourceTitle(one.source)}</strong> {one.reason}
          </li>
        ))}
      </ul>
      <Link className="link" to="?tab=coverage">
        How to get them
      </Link>
    </div>
  );
}

export function SystemPanel({ system, coverage }: { system: SystemInfo; coverage: Coverage | undefined }) {
  const items = itemsOf(system);
  const known = items.some((item) => item.value !== null) || system.disks.length > 0;
  const values = coverage?.host_values ?? [];
  const sources = sourcesOf(values);
  const single = sources.length === 1 ? sources[0] : undefined;
  const seen = newestTime(values);
  const detail = (field: string) => {
    const source = sourceOf(values, field);
    return single === undefined && source !== undefined ? `from ${sourceTitle(source)}` : undefined;
  };
  return (
    <Panel
      title="System"
      note={
        known && single !== undefined && seen !== undefined ? (
          <>
            from {sourceTitle(single)}, <RelativeTime at={seen} />
          </>
        ) : undefined
      }
    >
      {known ? (
        <>
          <KeyValues
            items={items.map((item) => ({
              ...item,
              detail: item.value === null ? undefined : detail(item.field),
            }))}
          />
          {system.disks.length > 0 ? (
            <>
              <h3 className={classes.heading}>
                Disks <span className={classes.source}>{detail('disks')}</span>
              </h3>
              <ul className={classes.disks}>
                {system.disks.map((disk) => (
                  <Disk key={disk.mount_point} disk={disk} />
                ))}
              </ul>
            </>
          ) : null}
        </>
      ) : (
        <Nothing coverage={coverage} />
      )}
    </Panel>
  );
}
