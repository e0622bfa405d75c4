"""Stands for `docker` where no Docker engine answers: knows `docker compose up` and `down` for the compose file of this folder.

A container of ArangoDB with a published port is an aqlited at that port, with the password of the compose file. The container of
the service is the program, with the environment and the published port of the compose file. The other members of a cluster have
no stand-in. Anything that Docker would not understand, or that only Docker can do, is an error.
"""

import argparse
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import yaml

STATE = pathlib.Path(os.environ["STAND_IN_STATE"])


def main():
    parser = argparse.ArgumentParser(prog="docker")
    compose = parser.add_subparsers(required=True).add_parser("compose")
    compose.add_argument("--profile", action="append", default=[])
    commands = compose.add_subparsers(required=True)
    up_command = commands.add_parser("up")
    up_command.add_argument("-d", required=True, action="store_true")
    up_command.add_argument("--wait", required=True, action="store_true")
    up_command.add_argument("service", nargs="*")
    up_command.set_defaults(run=up)
    down_command = commands.add_parser("down")
    down_command.set_defaults(run=down)
    args = parser.parse_args()
    services = yaml.safe_load(pathlib.Path("docker-compose.yml").read_text(encoding="utf-8"))["services"]
    known = {profile for service in services.values() for profile in service.get("profiles", [])}
    if not known.issuperset(args.profile):
        parser.error(f"docker-compose.yml has the profiles {sorted(known)} only")
    args.run(args, services)


def up(args, services):
    for name in in_order(args.service or enabled(args, services), services):
        address = published(services[name])
        if address is None or is_running(name):
            continue
        folder = STATE / name
        folder.mkdir(parents=True, exist_ok=True)
        command, environment = container(services[name], services, address, folder)
        with open(STATE / f"{name}.lock", "w", encoding="utf-8") as lock, open(STATE / f"{name}.log", "w", encoding="utf-8") as log:
            # Held until the process ends.
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = subprocess.Popen(
                command, env={**os.environ, **environment}, stdout=log, stderr=log, pass_fds=[lock.fileno()], start_new_session=True
            )
            lock.write(str(process.pid))
        wait_for(f"http://{address}/", process, STATE / f"{name}.log")


def down(args, services):
    for name in enabled(args, services):
        if is_running(name):
            with open(STATE / f"{name}.lock", encoding="utf-8") as lock:
                os.kill(int(lock.read()), signal.SIGTERM)
                fcntl.flock(lock, fcntl.LOCK_EX)


def container(service, services, address, folder):
    """The command and the environment that stand for a service."""
    environment = service["environment"]
    if service.get("build"):
        for other, description in services.items():
            reached = published(description)
            if reached:
                environment = {key: value.replace(f"//{other}:8529", f"//{reached}") for key, value in environment.items()}
        return [os.environ["TRACEWRIGHT_BIN"]], {**environment, "TRACEWRIGHT_LISTEN": address, "TRACEWRIGHT_DATA_DIR": str(folder)}
    password = environment.get("ARANGO_ROOT_PASSWORD", "")
    return [os.environ["AQLITED"], "--data-dir", str(folder), "--listen", address, "--root-password", password], {}


def enabled(args, services):
    return [name for name, service in services.items() if not service.get("profiles") or set(service["profiles"]) & set(args.profile)]


def in_order(names, services):
    """The services and those they depend on, which come first."""
    ordered = []
    for name in names:
        needed = in_order(services[name].get("depends_on", []), services)
        ordered += [one for one in [*needed, name] if one not in ordered]
    return ordered


def published(service):
    [port] = service.get("ports", [None])
    return port and port.rpartition(":")[0]


def is_running(name):
    try:
        with open(STATE / f"{name}.lock", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def wait_for(url, process, log):
    for _ in range(3000):
        try:
            urllib.request.urlopen(url, timeout=5)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    sys.exit(f"{process.args[0]} did not start:\n{log.read_text(encoding='utf-8')}")


main()
