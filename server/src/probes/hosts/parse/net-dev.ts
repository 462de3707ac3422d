// /proc/net/dev: counters of each network interface. The ends of containers' and virtual machines' cables are left
// out: there may be hundreds, they come and go, and what they carry passes an interface of the machine anyway.
import type { HostInterface } from '../types.ts';

const OF_OTHERS =
  /^(veth|cali|lxc|tap|vnet|ifb|dummy|nodelocaldns|cilium_|flannel|kube-|tunl\d|sit\d|ip6tnl\d|gre\d|erspan\d)/;

export const isCounted = (name: string): boolean => !OF_OTHERS.test(name);

export function parseNetDev(text: string): HostInterface[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*([^\s|]+):\s*(\d[\d\s]*)$/.exec(line);
    const numbers = found?.[2]?.trim().split(/\s+/).map(Number) ?? [];
    const interface_name = found?.[1];
    if (interface_name === undefined || numbers.length < 16 || !isCounted(interface_name)) return [];
    const [rx_bytes = 0, rx_packets = 0, rx_errors = 0, rx_dropped = 0] = numbers;
    const [tx_bytes = 0, tx_packets = 0, tx_errors = 0, tx_dropped = 0] = numbers.slice(8);
    return [
      {
        interface_name,
        tx_bytes,
        tx_packets,
        tx_errors,
        tx_dropped,
        rx_bytes,
        rx_packets,
        rx_errors,
        rx_dropped,
      },
    ];
  });
}

/** /sys/class/net/<name>/speed in megabits a second; -1 and errors mean unknown, as in virtual machines. */
export function parseSpeed(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : undefined;
}
