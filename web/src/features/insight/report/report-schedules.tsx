// The schedules of reports by email, for those who manage channels: when each goes next, to where, and what came of the last one.
// Guards: what was not sent says why; nothing of this stands on paper.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import forms from '../../../ui/form.module.css';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Question } from '../../../ui/question.tsx';
import { RelativeTime, TimeAhead } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { channelPath, STATES } from '../../alerting/channels/channel-words.ts';
import type { Scope } from '../../estate/clusters/use-scope.ts';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import classes from './report.module.css';
import { type MailChannel, type ReportSchedule, ScheduleFormDialog, type Target } from './schedule-form.tsx';

const EVERY_MS = 60_000;
/** While one is on its way. */
const SOON_MS = 5000;

const isUnderWay = ({ last }: ReportSchedule) => last?.state === 'queued' || last?.state === 'sending';

function targetOf({ scope, scope_id, target_name }: ReportSchedule): Target {
  if (scope === 'estate' || scope_id === null) return { name: 'Every server', scope };
  return {
    name: target_name ?? (scope === 'server' ? 'a server that is gone' : 'a cluster that is gone'),
    scope,
    scope_id,
  };
}

function LastSent({ last }: { last: ReportSchedule['last'] }) {
  if (last === null) return <>not sent yet</>;
  const { label, mark } = STATES[last.state];
  return (
    <>
      <Status mark={mark} label={label} size={14} /> <RelativeTime at={last.ended_at ?? last.tick} />
      {last.reply === null ? null : `: ${last.reply}`}
    </>
  );
}

type Act = 'preview' | 'change' | 'delete';

function Row({ row, onAct }: { row: ReportSchedule; onAct: (act: Act) => void }) {
  const send = useOperationMutation('sendReportNow');
  const { id, name, channel_id, channel_name, enabled, next_at } = row;
  const button = (label: string, act: () => void, loading = false) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${label} ${name}`}
      loading={loading}
      onClick={act}
    >
      {label}
    </Button>
  );
  return (
    <li className={classes.schedule}>
      <div className={classes.words}>
        <strong>
          <Name>{name}</Name>
        </strong>
        <p className={classes.remark}>
          {row.in_words} · <Name>{targetOf(row).name}</Name> · by{' '}
          {channel_id === null ? (
            'no channel: it was deleted'
          ) : (
            <Link className={classes.server} to={channelPath(channel_id)}>
              <Name>{channel_name ?? ''}</Name>
            </Link>
          )}{' '}
          · as {row.owner_username} sees it
        </p>
        <p className={classes.remark}>
          {enabled ? (
            next_at === null ? null : (
              <>
                Next <TimeAhead at={next_at} /> ·{' '}
              </>
            )
          ) : (
            'Not enabled · '
          )}
          <LastSent last={row.last} />
        </p>
        <FormError error={send.error} />
      </div>
      <div className={classes.buttons}>
        {button('Send now', () => send.mutate({ params: { id } }), send.isPending)}
        {button('Preview', () => onAct('preview'))}
        {button('Change', () => onAct('change'))}
        {button('Delete', () => onAct('delete'))}
      </div>
    </li>
  );
}

function Preview({ id }: { id: number }) {
  const preview = useOperation('previewReport', { params: { id } });
  return (
    <Query query={preview} what="the report" lines={8}>
      {({ subject, text, recipients }) => (
        <div className={forms.form}>
          <p>
            <strong>
              <Name>{subject}</Name>
            </strong>
          </p>
          <p>
            To: {recipients.length === 0 ? 'none yet; the channel has no recipient' : recipients.join(', ')}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          <section className={classes.mail} tabIndex={0} aria-label="The report as text">
            {text}
          </section>
        </div>
      )}
    </Query>
  );
}

function DeleteQuestion(props: { row: ReportSchedule; opened: boolean; onClose: () => void }) {
  const { row, opened, onClose } = props;
  return (
    <Question
      title="Delete the schedule?"
      verb="Delete it"
      operation="deleteReportSchedule"
      id={opened ? row.id : undefined}
      onClose={onClose}
    >
      <p>
        <Name>{row.name}</Name>: nothing more of it is sent, nor what waits to be sent.
      </p>
    </Question>
  );
}

interface ListProps {
  schedules: readonly ReportSchedule[];
  channels: readonly MailChannel[];
}

function List({ schedules, channels }: ListProps) {
  const [open, setOpen] = useState<{ id: number; act: Act }>();
  const close = () => setOpen(undefined);
  const row = schedules.find(({ id }) => id === open?.id);
  const is = (act: Act) => row !== undefined && open?.act === act;
  return (
    <>
      <ul className={layout.list} aria-label="Schedules of reports">
        {schedules.map((one) => (
          <Row key={one.id} row={one} onAct={(act) => setOpen({ id: one.id, act })} />
        ))}
      </ul>
      {row ? (
        <>
          <Dialog title="As it would be sent now" opened={is('preview')} onClose={close} size="xl">
            <Preview id={row.id} />
          </Dialog>
          <DeleteQuestion row={row} opened={is('delete')} onClose={close} />
          <ScheduleFormDialog
            opened={is('change')}
            schedule={row}
            target={targetOf(row)}
            channels={channels}
            onClose={close}
          />
        </>
      ) : null}
    </>
  );
}

const NO_CHANNEL = (
  <p className={classes.none}>
    Reports go by a channel of type email, and there is none yet.{' '}
    <Link className="link" to="/channels/new">
      Add one
    </Link>
  </p>
);

function Managed({ scope }: { scope: Scope }) {
  const [isOpen, setOpen] = useState(false);
  const found = useOperation(
    'listReportSchedules',
    {},
    { everyMs: (last) => (last?.some(isUnderWay) ? SOON_MS : EVERY_MS) },
  );
  const all = useOperation('listNotificationChannels', {}).data;
  const channels = (all ?? []).filter(({ channel_type }) => channel_type === 'email');
  const target = scope.target && { name: scope.name, ...scope.target };
  return (
    <Panel
      title="By email"
      actions={
        target && channels.length > 0 ? (
          <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
            Send this report on a schedule
          </Button>
        ) : undefined
      }
    >
      {target ? null : (
        <p className={classes.none}>A detected cluster can have a schedule after it has been named.</p>
      )}
      <Query query={found} what="the schedules" lines={2}>
        {(schedules) =>
          schedules.length > 0 ? (
            <List schedules={schedules} channels={channels} />
          ) : all !== undefined && channels.length === 0 ? (
            NO_CHANNEL
          ) : (
            <p className={classes.none}>No report is sent on a schedule yet.</p>
          )
        }
      </Query>
      {target ? (
        <ScheduleFormDialog
          opened={isOpen}
          schedule={undefined}
          target={target}
          channels={channels}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Panel>
  );
}

export function ReportSchedules({ scope }: { scope: Scope }) {
  const user = useUser().data;
  return mayUse(user, 'manage_notification_channels') ? (
    <div className={classes.screen}>
      <Managed scope={scope} />
    </div>
  ) : null;
}
