// How acknowledgements come back from PagerDuty: the address that its webhook is to call, and what to do with its secret.

import { addressOf } from '../../../api/client.ts';
import { operations } from '../../../api/operations.gen.ts';
import { withBase } from '../../../lib/base-path.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Status } from '../../../ui/status.tsx';
import type { Channel } from './channel-words.ts';
import classes from './channels.module.css';

export function PagerDutyWebhook({ channel }: { channel: Channel }) {
  const path = addressOf(operations.receivePagerDutyWebhook.path, { params: { id: channel.id } });
  return (
    <Panel title="Acknowledgements from PagerDuty" note="an incident is acknowledged there">
      <div className={classes.result}>
        <Status
          mark={channel.signing_secret_set ? 'ok' : 'paused'}
          label={channel.signing_secret_set ? 'They come back here' : 'Not set up'}
        />
        <p>
          In PagerDuty, open Integrations, Generic Webhooks (v3), and add a webhook for the service of this
          channel with the events incident.acknowledged and incident.unacknowledged. Give it this address, and
          enter the signing secret that PagerDuty shows once as the webhook signing secret above.
        </p>
        <CodeBlock code={`${window.location.origin}${withBase(path)}`} label="Webhook URL" />
        <p className={classes.remark}>
          This is the address by which you have opened this page; PagerDuty has to reach it from the internet.
        </p>
      </div>
    </Panel>
  );
}
