"""Reading raw logs of any format, one module per format.

    with open_log(path) as log:                     # formats.py: detection by content
        log.format, log.constants                   # "mcap"; scalars and texts beside the streams
        for stream in log.streams:                  # a CSV has one, a bag one per topic
            stream.name, stream.message_type, stream.rows
            for column in stream.columns:           # name, kind, unit if the file states one
                ...
        for batch in log.batches("/joint_states", ["log_time", "position.elbow"]):
            batch.columns["position.elbow"]         # float64 or int64, shape (rows,)
            batch.where(3), batch.line(3)           # "message 812", None; or "line 17", 17
        log.findings.notices()                      # what was found and mended, with counts

Batches are bounded in size, so a log never has to fit in memory. What cannot be read exactly is
refused with its place; what is mended without loss is reported; what is lost is reported with
`Effect.DATA_LOST`. Findings grow while batches are read.

Columns: arrays are flattened as `position[0]`, nested fields joined with dots; the arrays of a
`sensor_msgs/JointState` are columns by joint, `position.<joint>`, whatever the order in a message.
Whole numbers are int64, truth values int64 0 and 1, everything else float64; values that are not
finite are delivered as they are. Text columns are listed and cannot be read as numbers. Times are
int64 ns where the format knows them as such (`log_time`, `stamp`).
"""
