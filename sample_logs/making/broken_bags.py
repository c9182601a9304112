"""Bags that are damaged, or hold something else."""

import struct

from making import bags
from making.case import Base, Case


def _folder(name: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{name}/{path}": data for path, data in files.items()}


def bag_cases(base: Base) -> list[Case]:
    """B95 to B99."""
    run = base.run.first(30)
    states = bags.messages(run)
    chunks = bags.mcap_chunks(states, 10)
    damaged = bytearray(chunks[1])
    damaged[-40] ^= 0xFF
    whole = bags.mcap(states, 10)
    absurd = b"".join([bags.HEAD, *chunks]) + struct.pack("<BQ", 5, 1 << 62) + b"rest"
    bag = bags.rosbag2(states, "bag")
    without = {"bag.db3": bag["bag.db3"]}
    two_parts = bag["metadata.yaml"].replace(b"- bag.db3", b"- bag.db3\n  - bag_1.db3")
    journal = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", 1, 7, 1, 512, 4096)
    ros1 = bags.rosbag1(bags.messages(run, bags.ROS1))
    odd_type = bags.mcap_schema(1, "lab_msgs/msg/Motor") + bags.mcap_channel(1, "/motor", 1)
    both = [
        bags.mcap_chunk(states, 1, bags.mcap_schema(1, bags.JOINT_STATE)
                        + bags.mcap_channel(1, "/left/joint_states", 1)),
        bags.mcap_chunk(states, 2, bags.mcap_channel(2, "/right/joint_states", 1)),
    ]  # fmt: skip
    return [
        Case("B95", "b95_cut.mcap", "an MCAP file that was cut", whole[: len(whole) * 3 // 4], 3,
             "cut-bag"),
        Case("B96", "b96_chunk_damaged.mcap", "a chunk whose checksum is wrong",
             bags.mcap_of_chunks([chunks[0], bytes(damaged), chunks[2]]), 3, "damaged-chunk"),
        Case("B97", "b97_absurd_length.mcap", "a record that claims to be larger than any file",
             absurd, 3, "cut-bag"),
        Case("B98", "b98_no_metadata", "a ROS 2 bag without metadata.yaml",
             _folder("b98_no_metadata", without), 0, "no-metadata"),
        Case("B98", "b98_part_missing", "a ROS 2 bag of which one part is missing",
             _folder("b98_part_missing", {**bag, "metadata.yaml": two_parts}), 66,
             "part-missing"),
        Case("B98", "b98_open_journal", "a ROS 2 bag whose recorder was killed: a journal is left",
             _folder("b98_open_journal", {**without, "bag.db3-journal": journal + bytes(4096)}),
             65, "hot-journal"),
        Case("B98", "b98_no_index.bag.active", "a ROS 1 bag without index",
             _unindexed(ros1), 0, "no-index"),
        Case("B99", "b99_no_such_topic.mcap", "another topic is asked for", whole, 65,
             "no-such-stream", flags=("--stream", "/arm/joint_states")),
        Case("B99", "b99_unknown_type.mcap", "messages of a type nobody defines",
             bags.mcap_of_chunks([bags.mcap_chunk(states, 1, odd_type)]), 65, "no-map"),
        Case("B99", "b99_two_robots.mcap", "two topics of joint states",
             bags.mcap_of_chunks(both), 65, "several-streams"),
        Case("B99", "b99_one_of_two_robots.mcap", "two topics of joint states, one is named",
             bags.mcap_of_chunks(both), 0, "", flags=("--stream", "/left/joint_states")),
    ]  # fmt: skip


def _unindexed(data: bytes) -> bytes:
    """A ROS 1 bag as it is while it is recorded: no index, and no place of it in the header."""
    at = data.index(b"index_pos=") + len(b"index_pos=")
    place = struct.unpack("<Q", data[at : at + 8])[0]
    return data[:at] + bytes(8) + data[at + 8 : place]
