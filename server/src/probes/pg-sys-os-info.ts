// The operating system under the server. The name and version are those of the release, not of the kernel.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_os_info',
  description: 'The operating system of the machine the server runs on.',
  host: 'os_info',
  columns: [
    { name: 'name', type: 'text', kind: 'label', description: 'Name of the system, e.g. Debian GNU/Linux.' },
    { name: 'version', type: 'text', kind: 'label', description: 'Version of the release.' },
    { name: 'host_name', type: 'text', kind: 'label', description: 'Name of the machine.' },
    { name: 'domain_name', type: 'text', kind: 'label', description: 'NIS domain; null where none is set.' },
    {
      name: 'handle_count',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'Open files of all processes.',
    },
    {
      name: 'process_count',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'Processes of the machine.',
    },
    {
      name: 'thread_count',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: "Threads, the kernel's included.",
    },
    { name: 'architecture', type: 'text', kind: 'label', description: 'As uname names it, e.g. x86_64.' },
    {
      name: 'os_up_since_seconds',
      type: 'bigint',
      kind: 'gauge',
      unit: 'seconds',
      description: 'Time since it was started.',
    },
    {
      name: 'last_bootup_time',
      type: 'timestamp with time zone',
      kind: 'time',
      description: 'When it was started.',
    },
  ],
});
