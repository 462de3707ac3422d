// One link in full: write, flush and replay lag as each end measures them, its slots, and why something is not known.
import { ActionIcon } from '@mantine/core';
import { formatBytes, formatDuration } from '../../../lib/format.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CloseIcon, WarningIcon } from '../../../ui/icons.ts';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Since } from '../../../ui/since.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './cluster-page.module.css';
import { pauseOf, type Reading, relationOf, slotState } from './link-words.ts';
import type { ClusterLink, ClusterSlot } from './model.ts';

type Paused = NonNullable<ReturnType<typeof pauseOf>>;

const IDLE = 'PostgreSQL measures it only while WAL is being sent';

const time = (seconds: number | null, because: string) =>
  seconds === null ? <Unknown because={because} /> : formatDuration(seconds);

const SinceWhen = ({ at }: { at: string }) => (
  <>
    Not known <Since at={at} />.
  </>
);

function valuesOf(reading: Reading): KeyValue[] {
  const because = reading.reason ?? IDLE;
  const unknown = <Unknown because={reading.reason ?? 'Not known'} />;
  const isSender = reading.measured_at === 'sender';
  return [
    { name: 'State', value: reading.state ?? unknown },
    {
      name: 'Lag',
      value: reading.lag_bytes === null ? unknown : formatBytes(reading.lag_bytes),
      detail: isSender
        ? 'from the position of now to what is replayed'
        : 'from what was received to what is replayed',
    },
    ...(isSender
      ? [
          { name: 'Write lag', value: time(reading.write_lag_seconds, because) },
          { name: 'Flush lag', value: time(reading.flush_lag_seconds, because) },
        ]
      : []),
    {
      name: isSender ? 'Replay lag' : 'Age of the last replayed change',
      value: time(reading.replay_lag_seconds, because),
    },
    ...(isSender ? [{ name: 'Synchronous', value: reading.sync_state ?? unknown }] : []),
    ...(isSender ? [{ name: 'Application name', value: reading.application_name || null }] : []),
    { name: 'Slot', value: reading.slot_name ?? 'none' },
    {
      name: reading.reason === null ? 'Sampled' : 'Last sampled',
      value: <RelativeTime at={reading.collected_at} />,
      detail: reading.reason ?? undefined,
    },
  ];
}

const RESUME = 'select pg_wal_replay_resume();';

/** Why it falls behind, and what ends that. */
function PausedReplay({ paused: { label, since }, name }: { paused: Paused; name: string }) {
  return (
    <div className={classes.paused}>
      <Notice tone="warn" icon={<WarningIcon size={16} />}>
        {label}
        {since === null ? null : (
          <>
            {' '}
            at least <Since at={since} />
          </>
        )}
        . {name} receives WAL but does not apply it, so its data become outdated. If PostgreSQL paused it
        because a setting such as max_connections is lower than on the primary, raise that first: resuming
        would shut the standby down.
      </Notice>
      <CodeBlock label={`Run on ${name} to resume`} code={RESUME} />
    </div>
  );
}

export interface LinkPanelProps {
  link: ClusterLink;
  slots: readonly ClusterSlot[];
  nameOf: (id: number) => string;
  onClose: () => void;
}

export function LinkPanel({ link, slots, nameOf, onClose }: LinkPanelProps) {
  const [source, target] = [nameOf(link.source_connection_id), nameOf(link.target_connection_id)];
  const paused = pauseOf(link);
  const names = new Set(link.readings.map(({ slot_name }) => slot_name));
  const own = slots.filter(
    (slot) => slot.connection_id === link.target_connection_id && names.has(slot.slot_name),
  );
  return (
    <Panel
      title={`${source} ${relationOf(link)} ${target}`}
      actions={
        <ActionIcon variant="subtle" aria-label="Close the link" onClick={onClose}>
          <CloseIcon size={16} />
        </ActionIcon>
      }
    >
      {link.reason === null ? null : (
        <p className={classes.reason}>
          {link.reason} {link.since === null ? null : <SinceWhen at={link.since} />}
        </p>
      )}
      {paused === undefined ? null : <PausedReplay paused={paused} name={source} />}
      {link.mend === null ? null : <CodeBlock label="Run this on the server to fix it" code={link.mend} />}
      <div className={classes.readings}>
        {link.readings.map((reading) => (
          <section key={`${reading.measured_at} ${reading.slot_name} ${reading.application_name}`}>
            <h3 className={classes.sub}>
              {reading.measured_at === 'sender' ? `Measured on ${target}` : `As ${source} sees it`}
            </h3>
            <KeyValues items={valuesOf(reading)} />
          </section>
        ))}
        {own.map((slot) => (
          <section key={slot.slot_name}>
            <h3 className={classes.sub}>Slot {slot.slot_name}</h3>
            <KeyValues
              items={[
                { name: 'State', value: <Status {...slotState(slot)} /> },
                { name: 'WAL status', value: slot.wal_status },
                {
                  name: 'Retained WAL',
                  value: slot.retained_bytes === null ? null : formatBytes(slot.retained_bytes),
                },
                {
                  name: slot.reason === null ? 'Sampled' : 'Last sampled',
                  value: <RelativeTime at={slot.collected_at} />,
                  detail: slot.reason ?? undefined,
                },
              ]}
            />
          </section>
        ))}
      </div>
    </Panel>
  );
}
