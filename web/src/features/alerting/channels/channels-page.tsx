// Notification channels: where alerts are sent, and which channel is told of what.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { useUrlChoice } from '../../../lib/url-state.ts';
import { AddIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { ChannelList } from './channel-list.tsx';
import { type Channel, MANAGE } from './channel-words.ts';
import { Routing } from './routing.tsx';

const TABS = [
  { key: 'list', title: 'Channels' },
  { key: 'routing', title: 'Routing' },
];
const KEYS = ['list', 'routing'] as const;

function factsOf(channels: readonly Channel[] | undefined): string {
  if (!channels) return '\u00a0';
  const off = channels.filter(({ enabled }) => !enabled).length;
  const usual = channels.filter(({ enabled, is_estate_default }) => enabled && is_estate_default).length;
  return [
    countOf(channels.length, 'channel'),
    ...(off > 0 ? [`${off} switched off`] : []),
    ...(usual > 0 ? [`${usual} notified for all servers`] : []),
  ].join(' · ');
}

export function ChannelsPage() {
  const [here] = useUrlChoice('tab', KEYS, 'list');
  const mayManage = mayUse(useUser().data, MANAGE);
  const channels = useOperation('listNotificationChannels', {}).data;
  return (
    <>
      <PageHeader
        title="Notification channels"
        facts={factsOf(channels)}
        {...(mayManage
          ? {
              actions: (
                <Button component={Link} to="/channels/new" leftSection={<AddIcon size={16} />}>
                  Add a channel
                </Button>
              ),
            }
          : {})}
      />
      <Tabs label="Views of channels" tabs={TABS} here={here} />
      <div className={layout.stack}>
        {here === 'list' ? <ChannelList mayManage={mayManage} /> : <Routing mayManage={mayManage} />}
      </div>
    </>
  );
}
