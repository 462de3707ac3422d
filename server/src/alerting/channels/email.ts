// Mail by SMTP, as text and HTML. A template is the HTML of a mail; the text beside it is always ours. Mails about one
// alert belong to one thread.
import { htmlText } from '../../kernel/html-text.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Message } from './alert-facts.ts';
import { dedupKey } from './support/dedup-key.ts';
import { fieldsOf } from './support/fields.ts';
import { mailHtml } from './support/mail-html.ts';
import { mailText } from './support/mail-text.ts';
import { headline } from './support/message-text.ts';
import { parseTemplate, render } from './support/template.ts';
import { defineChannel, type Mail } from './types.ts';

/** A line of a head may have 998 bytes, and lists of mails show far less. */
const SUBJECT = 250;

function wholeHtml(message: Message): string {
  const { template, alerts } = message;
  if (template !== undefined && alerts.length === 1)
    return render(parseTemplate(template), fieldsOf(alerts[0], message), htmlText);
  return mailHtml(message);
}

const mailOf = (message: Message): Mail => ({
  subject: cutText(headline(message), SUBJECT, '…'),
  text: mailText(message),
  html: wholeHtml(message),
  message_id: `${message.key}@matriarch`,
  thread_id: `${dedupKey(message.alerts[0])}@matriarch`,
});

export const channel = defineChannel({
  name: 'email',
  display_name: 'Email',
  description: 'Mail to a list of recipients, by your own mail server.',
  members: {
    smtp_host: 'required',
    smtp_port: 'optional',
    smtp_use_tls: 'optional',
    smtp_tls_mode: 'optional',
    smtp_username: 'optional',
    smtp_password: 'optional',
    from_address: 'required',
    from_name: 'optional',
  },
  template: 'html',
  groups: true,
  body: wholeHtml,
  send: (call) => call.out.mail(call, mailOf(call.message)),
});
