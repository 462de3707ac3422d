// The operating system under the server. The name and version are those of the release, not of the kernel.
import { defineHostProbe } from './types.ts';
import { gauges, times } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_os_info',
  description: 'The operating system of the machine the server runs on.',
  host: 'os_info',
  columns: [
    { name: 'name', type: 'text', kind: 'label', description: 'Name of the system, e.g. Debian GNU/Linux.' },
    { name: 'version', type: 'text', kind: 'label', description: 'Version of the release.' },
    { name: 'host_name', type: 'text', kind: 'label', description: 'Name of the machine.' },
    { name: 'domain_name', type: 'text', kind: 'label', description: 'NIS domain; null where none is set.' },
    ...gauges('count', [
      ['handle_count', 'Open files of all processes.'],
      ['process_count', 'Processes of the machine.'],
      ['thread_count', "Threads, the kernel's included."],
    ]),
    { name: 'architecture', type: 'text', kind: 'label', description: 'As uname names it, e.g. x86_64.' },
    ...gauges('seconds', [['os_up_since_seconds', 'Time since it was started.']]),
    ...times([['last_bootup_time', 'When it was started.']]),
  ],
});
