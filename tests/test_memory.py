import pytest

from imbtext._memory import check_memory, memory_size


def written(root, files):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


@pytest.mark.parametrize(
    "files",
    [
        {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1048576\n"},
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": "1048576\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
        },
        {
            "proc/self/cgroup": "5:cpu:/a\n4:memory:/docker/1\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "1048576\n",
        },
    ],
    ids=["version 2", "of a group around it", "version 1"],
)
def test_the_limit_of_a_container_is_its_memory(tmp_path, files):
    assert memory_size(written(tmp_path, files)) == 2**20


def test_without_a_limit_it_is_the_memory_of_the_machine(tmp_path):
    machine = memory_size(tmp_path)
    assert machine > 2**20
    files = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}
    assert memory_size(written(tmp_path, files)) == machine


def test_only_what_cannot_fit_is_refused(monkeypatch):
    monkeypatch.setattr("imbtext._memory.memory_size", lambda: 2**30)
    check_memory(2**30, "these rows", "ask for fewer")
    says = r"these rows take at least 3.0 GiB and do not fit .* \(1.0 GiB\); ask for fewer"
    with pytest.raises(ValueError, match=says):
        check_memory(3 * 2**30, "these rows", "ask for fewer")
